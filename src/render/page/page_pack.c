/* SPDX-License-Identifier: Apache-2.0 */
#include "render/format/escape.h"
#include "render/page/page_pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/ordered.h"
#include "base/utf8.h"
#include "model/module_lines.h"
#include "render/page/page_template.h"

enum { PIECE_BYTES = 512 << 10, LINES_BYTES = 64 << 10, WINDOW_BYTES = 32 << 10 };

/* Pages of some ten thousand ops are mailed and stored, so they are packed tightly. That would take too long for a long run;
 * its columns are mostly runs of zeros, which the fast levels pack nearly as well. */
static const struct {
    size_t most_bytes;
    int columns, text;
} levels[] = {{1 << 20, 9, 9}, {4 << 20, 8, 8}, {24 << 20, 2, 8}, {SIZE_MAX, 2, 5}};

enum source_kind { FROM_TEXT, FROM_LAYOUT, FROM_MODULE };

/* One section and where its bytes come from. */
struct section {
    char name[24];
    enum source_kind kind;
    struct slice text;
    struct page_layout layout;
    const struct page_module *module;
    size_t size;     /* unknown for a module, which is packed as one piece */
    bool ends_first; /* the last one of the mark FIRST */
};

struct piece {
    size_t section;
    size_t begin, end;
    bool first, last;
};

struct packed {
    struct strbuf bytes; /* raw deflate */
    uint32_t crc;
    uint64_t size; /* before packing */
};

struct packer {
    VEC(struct section) sections;
    VEC(struct piece) pieces;
    struct outfile *file;
    struct err *err;
    struct slice between; /* template text between FIRST and REST */
    bool failed;
    struct strbuf out;
    unsigned char carry[3]; /* bytes that do not yet fill a base64 group */
    size_t carried;
    uint32_t crc;
    uint64_t size;
};

static void deflate_some(z_stream *z, struct packed *packed, struct slice in, int flush) {
    z->next_in = (unsigned char *)(uintptr_t)in.ptr;
    z->avail_in = (unsigned)in.len;
    packed->crc = (uint32_t)crc32(packed->crc, z->next_in, z->avail_in);
    packed->size += in.len;
    int rc;
    do {
        size_t room = deflateBound(z, z->avail_in) + 64;
        z->next_out = (unsigned char *)strbuf_room(&packed->bytes, room);
        z->avail_out = (unsigned)room;
        rc = deflate(z, flush);
        strbuf_took(&packed->bytes, room - z->avail_out);
    } while (z->avail_out == 0 || (flush == Z_FINISH && rc == Z_OK));
}

/* The lines of a dump, fed to deflate in blocks. */
static void deflate_module(z_stream *z, struct packed *packed, const struct page_module *m) {
    struct module_lines lines;
    struct slice line;
    struct strbuf text = {0};
    module_lines_init(&lines, m->module, m->text);
    while (module_lines_next(&lines, &line)) {
        utf8_add_valid(&text, line);
        strbuf_addc(&text, '\n');
        if (text.len < LINES_BYTES) continue;
        deflate_some(z, packed, strbuf_slice(&text), Z_NO_FLUSH);
        strbuf_clear(&text);
    }
    deflate_some(z, packed, strbuf_slice(&text), Z_FINISH);
    strbuf_release(&text);
    module_lines_release(&lines);
}

static int level_of(const struct section *section) {
    size_t size = section->kind == FROM_MODULE ? section->module->bytes : section->size, i = 0;
    while (size > levels[i].most_bytes) i++;
    return section->kind == FROM_LAYOUT ? levels[i].columns : levels[i].text;
}

static void set_window(z_stream *z, struct slice bytes) {
    if (deflateSetDictionary(z, (const unsigned char *)bytes.ptr, (unsigned)bytes.len) != Z_OK) mem_exhausted();
}

static void *make_piece(void *context, unsigned thread, size_t number) {
    (void)thread;
    struct packer *p = context;
    const struct piece *piece = &p->pieces.items[number];
    const struct section *section = &p->sections.items[piece->section];
    struct packed *packed = mem_zalloc(1, sizeof *packed);
    z_stream z = {0};
    if (deflateInit2(&z, level_of(section), Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK) mem_exhausted();
    int flush = piece->last ? Z_FINISH : Z_SYNC_FLUSH;
    struct slice text = section->kind == FROM_TEXT && piece->end > piece->begin
                            ? slice_of(section->text.ptr + piece->begin, piece->end - piece->begin)
                            : slice_of("", 0);
    /* what precedes a piece is available when it is unpacked */
    size_t known = section->kind == FROM_MODULE ? 0 : piece->begin < WINDOW_BYTES ? piece->begin : WINDOW_BYTES;
    if (section->kind == FROM_MODULE) deflate_module(&z, packed, section->module);
    else if (section->kind == FROM_TEXT) {
        if (known) set_window(&z, slice_of(section->text.ptr + piece->begin - known, known));
        deflate_some(&z, packed, text, flush);
    } else {
        char *bytes = mem_alloc(known + piece->end - piece->begin + 1);
        page_layout_bytes(&section->layout, piece->begin - known, piece->end, bytes);
        if (known) set_window(&z, slice_of(bytes, known));
        deflate_some(&z, packed, slice_of(bytes + known, piece->end - piece->begin), flush);
        free(bytes);
    }
    deflateEnd(&z);
    return packed;
}

static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static char *base64_group(char *out, const unsigned char *in) {
    uint32_t n = (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8 | in[2];
    for (unsigned k = 0; k < 4; k++) *out++ = base64_digits[n >> (18 - 6 * k) & 63];
    return out;
}

static void add_base64(struct packer *p, struct slice bytes) {
    const unsigned char *in = (const unsigned char *)bytes.ptr, *end = in + bytes.len;
    char *out = strbuf_room(&p->out, (bytes.len + 3) / 3 * 4 + 4), *start = out;
    while (p->carried && in < end) {
        p->carry[p->carried++] = *in++;
        if (p->carried < 3) continue;
        out = base64_group(out, p->carry);
        p->carried = 0;
    }
    for (; end - in >= 3; in += 3) out = base64_group(out, in);
    while (in < end) p->carry[p->carried++] = *in++;
    strbuf_took(&p->out, (size_t)(out - start));
}

static void end_base64(struct packer *p) {
    if (!p->carried) return;
    unsigned char last[3] = {0};
    memcpy(last, p->carry, p->carried);
    char *out = strbuf_room(&p->out, 4);
    base64_group(out, last);
    if (p->carried == 1) out[2] = '=';
    out[3] = '=';
    strbuf_took(&p->out, 4);
    p->carried = 0;
}

static void begin_section(struct packer *p, const struct section *section) {
    static const char gzip_head[10] = {0x1f, (char)0x8b, 8, 0, 0, 0, 0, 0, 0, (char)255};
    strbuf_addf(&p->out, "<script type=\"text/plain\" id=\"ttmem-%s\">", section->name);
    add_base64(p, slice_of(gzip_head, sizeof gzip_head));
    p->crc = 0;
    p->size = 0;
}

static void end_section(struct packer *p, const struct section *section) {
    uint32_t tail[2] = {p->crc, (uint32_t)p->size};
    add_base64(p, slice_of((const char *)tail, sizeof tail));
    end_base64(p);
    strbuf_addz(&p->out, "</script>\n");
    if (section->ends_first) strbuf_add(&p->out, p->between);
}

static void take_piece(void *context, size_t number, void *result) {
    struct packer *p = context;
    struct packed *packed = result;
    const struct piece *piece = &p->pieces.items[number];
    strbuf_clear(&p->out);
    if (piece->first) begin_section(p, &p->sections.items[piece->section]);
    add_base64(p, strbuf_slice(&packed->bytes));
    p->crc = (uint32_t)crc32_combine(p->crc, packed->crc, (z_off_t)packed->size);
    p->size += packed->size;
    if (piece->last) end_section(p, &p->sections.items[piece->section]);
    if (!p->failed && outfile_write(p->file, strbuf_slice(&p->out), p->err) != 0) p->failed = true;
    strbuf_release(&packed->bytes);
    free(packed);
}

static struct section *add_section(struct packer *p, enum source_kind kind, const char *name) {
    struct section *section = vec_add(&p->sections);
    *section = (struct section){.kind = kind};
    snprintf(section->name, sizeof section->name, "%s", name);
    return section;
}

static void add_text(struct packer *p, const char *name, struct slice text) {
    struct section *section = add_section(p, FROM_TEXT, name);
    section->text = text;
    section->size = text.len;
}

static void add_columns(struct packer *p, const struct page_data *page, enum page_section which) {
    struct page_layout layout;
    if (!page_layout_init(&layout, &page->columns, which)) return;
    struct section *section = add_section(p, FROM_LAYOUT, page_section_names[which]);
    section->layout = layout;
    section->size = layout.size;
}

static void add_module(struct packer *p, const struct page_module *module, unsigned number) {
    char name[24];
    snprintf(name, sizeof name, "ir%u", number);
    struct section *section = add_section(p, module->module ? FROM_MODULE : FROM_TEXT, name);
    section->module = module;
    section->text = module->text;
    section->size = module->module ? 0 : module->text.len;
}

static void cut_pieces(struct packer *p) {
    for (size_t i = 0; i < p->sections.len; i++) {
        size_t size = p->sections.items[i].size, at = 0;
        do {
            size_t end = size - at > PIECE_BYTES ? at + PIECE_BYTES : size;
            vec_push(&p->pieces, ((struct piece){i, at, end, at == 0, end == size}));
            at = end;
        } while (at < size);
    }
}

/* All sections are added, and the one that ends the mark FIRST is marked. */
static int write_sections(struct packer *p, struct slice template, struct slice title) {
    struct slice rest = template, head = template_until(&rest, "TITLE"), style = template_until(&rest, "FIRST");
    p->between = template_until(&rest, "REST");
    strbuf_add(&p->out, head);
    escape_xml(&p->out, title);
    strbuf_add(&p->out, style);
    int rc = outfile_write(p->file, strbuf_slice(&p->out), p->err);
    cut_pieces(p);
    struct ordered_work work = {p, make_piece, take_piece};
    if (rc == 0) ordered_run(&work, p->pieces.len, ordered_threads());
    if (rc == 0 && p->failed) rc = -1;
    if (rc == 0) rc = outfile_write(p->file, rest, p->err);
    for (size_t i = 0; i < p->sections.len; i++) page_layout_release(&p->sections.items[i].layout);
    vec_release(&p->sections);
    vec_release(&p->pieces);
    strbuf_release(&p->out);
    return rc;
}

int page_write_text(struct slice template, struct slice title, const char *section, struct slice text, struct outfile *file,
                    struct err *err) {
    struct packer p = {.file = file, .err = err};
    add_text(&p, section, text);
    vec_last(&p.sections).ends_first = true;
    return write_sections(&p, template, title);
}

int page_write(struct page_data *page, struct slice title, struct outfile *file, struct err *err) {
    struct packer p = {.file = file, .err = err};
    add_text(&p, "meta", strbuf_slice(&page->meta));
    add_columns(&p, page, SECTION_MEM);
    vec_last(&p.sections).ends_first = true;
    for (unsigned i = SECTION_MEM + 1; i < SECTION_COUNT; i++) add_columns(&p, page, i);
    if (page->registry.len) add_text(&p, "registry", strbuf_slice(&page->registry));
    for (size_t i = 0; i < page->modules.len; i++) add_module(&p, &page->modules.items[i], (unsigned)i);
    return write_sections(&p, page_template(), title);
}
