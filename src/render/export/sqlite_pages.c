/* SPDX-License-Identifier: Apache-2.0 */
#include "render/export/sqlite_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum {
    FILE_HEADER = 100,
    AT_PAGE_SIZE = 16,
    AT_RESERVED = 20,
    AT_PAGE_COUNT = 28,
    LEAF = 13,
    LEAF_HEADER = 8,
    INTERIOR = 5,
    INTERIOR_HEADER = 12,
    VARINT_ROOM = 9,
    CHILD_ROOM = 2 + 4 + VARINT_ROOM, /* its index in the list, its page, its last rowid */
    SERIAL_REAL = 7,
    SERIAL_ZERO = 8,
    SERIAL_TEXT = 13,
    AHEAD = 1 << 20
};
static const uint64_t LOCK_BYTE = 1 << 30; /* the page that contains it stays unused */

static void put_be(uint8_t *out, uint64_t n, unsigned bytes) {
    for (unsigned i = bytes; i-- > 0; n >>= 8) out[i] = (uint8_t)n;
}

static uint64_t get_be(const uint8_t *in, unsigned bytes) {
    uint64_t n = 0;
    for (unsigned i = 0; i < bytes; i++) n = n << 8 | in[i];
    return n;
}

static unsigned varint_size(uint64_t n) {
    unsigned size = 1;
    while (size < VARINT_ROOM && (n >>= 7) != 0) size++;
    return size;
}

static uint8_t *put_varint(uint8_t *out, uint64_t n) {
    if (n < 128) {
        *out = (uint8_t)n;
        return out + 1;
    }
    unsigned size = varint_size(n), i = size;
    if (size == VARINT_ROOM) {
        out[--i] = (uint8_t)n;
        n >>= 8;
    }
    for (bool last = size<VARINT_ROOM; i--> 0; last = false, n >>= 7) out[i] = (uint8_t)((n & 127) | (last ? 0 : 128));
    return out + size;
}

/* --- the file --- */

static int write_at(struct sqlite_pages *p, const void *bytes, size_t size, uint64_t at, struct err *err) {
    for (const char *from = bytes; size;) {
        ssize_t n = pwrite(p->fd, from, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return err_set_errno(err, ERR_OUTPUT, "cannot write '%s'", p->path);
        from += n;
        at += (uint64_t)n;
        size -= (size_t)n;
    }
    return 0;
}

int sqlite_pages_open(struct sqlite_pages *p, const char *file, const char *path, struct err *err) {
    uint8_t header[FILE_HEADER];
    *p = (struct sqlite_pages){.fd = open(file, O_RDWR | O_CLOEXEC), .path = path};
    if (p->fd < 0 || pread(p->fd, header, sizeof header, 0) != sizeof header)
        return err_set_errno(err, ERR_OUTPUT, "cannot write '%s'", path);
    p->page_size = (uint32_t)get_be(header + AT_PAGE_SIZE, 2);
    if (p->page_size == 1) p->page_size = 65536;
    p->page_count = (uint32_t)get_be(header + AT_PAGE_COUNT, 4);
    if (p->page_size < 512 || header[AT_RESERVED])
        return err_set(err, ERR_OUTPUT, "cannot write '%s': SQLite made it in an unknown form", path);
    p->written = (uint64_t)p->page_count * p->page_size;
    p->leaf = mem_alloc(p->page_size);
    return 0;
}

static int write_ahead(struct sqlite_pages *p, struct err *err) {
    int rc = write_at(p, p->ahead.data, p->ahead.len, p->written, err);
    p->written += p->ahead.len;
    strbuf_clear(&p->ahead);
    return rc;
}

/* The number that append_page will give after `page`. */
static uint32_t page_after(const struct sqlite_pages *p, uint32_t page) {
    return (uint64_t)page * p->page_size == LOCK_BYTE ? page + 2 : page + 1;
}

/* Appends a page; its number is then p->page_count. */
static int append_page(struct sqlite_pages *p, const uint8_t *page, struct err *err) {
    uint32_t number = page_after(p, p->page_count);
    for (; p->page_count < number; p->page_count++) strbuf_add(&p->ahead, slice_of((const char *)page, p->page_size));
    return p->ahead.len >= AHEAD ? write_ahead(p, err) : 0;
}

/* --- rows --- */

static unsigned integer_bytes(int64_t n) {
    static const unsigned sizes[] = {1, 2, 3, 4, 6};
    if (n == 0 || n == 1) return 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int64_t limit = (int64_t)1 << (8 * sizes[i] - 1);
        if (n >= -limit && n < limit) return sizes[i];
    }
    return 8;
}

/* A real without a fraction is stored as an integer, as SQLite does; the column makes it a real again. */
static bool whole(const struct sqlite_cell *cell, int64_t *integer) {
    *integer = cell->integer;
    if (cell->kind == SQLITE_CELL_INTEGER) return true;
    if (cell->kind != SQLITE_CELL_REAL || !(cell->real > -1e15 && cell->real < 1e15)) return false;
    *integer = (int64_t)cell->real;
    return !((double)*integer < cell->real) && !((double)*integer > cell->real);
}

struct form {
    uint64_t serial;
    size_t bytes;
};

static struct form form_of(const struct sqlite_cell *cell) {
    static const uint8_t serials[] = {[1] = 1, [2] = 2, [3] = 3, [4] = 4, [6] = 5, [8] = 6};
    int64_t n;
    if (cell->kind == SQLITE_CELL_NULL) return (struct form){0, 0};
    if (cell->kind == SQLITE_CELL_TEXT) return (struct form){SERIAL_TEXT + 2 * (uint64_t)cell->text.len, cell->text.len};
    if (!whole(cell, &n)) return (struct form){SERIAL_REAL, 8};
    unsigned bytes = integer_bytes(n);
    return bytes ? (struct form){serials[bytes], bytes} : (struct form){SERIAL_ZERO + (uint64_t)n, 0};
}

static uint8_t *put_value(uint8_t *out, const struct sqlite_cell *cell, struct form form) {
    int64_t n;
    if (!form.bytes) return out;
    if (cell->kind == SQLITE_CELL_TEXT) memcpy(out, cell->text.ptr, form.bytes);
    else if (form.serial != SERIAL_REAL) {
        whole(cell, &n);
        put_be(out, (uint64_t)n, (unsigned)form.bytes);
    } else {
        uint64_t bits;
        memcpy(&bits, &cell->real, sizeof bits);
        put_be(out, bits, 8);
    }
    return out + form.bytes;
}

/* The row as SQLite stores it, in p->record. */
static void make_record(struct sqlite_pages *p, const struct sqlite_cell *cells, unsigned count) {
    struct form forms[SQLITE_COLUMNS];
    size_t head = 0, body = 0;
    for (unsigned i = 0; i < count; i++) {
        forms[i] = form_of(&cells[i]);
        head += varint_size(forms[i].serial);
        body += forms[i].bytes;
    }
    size_t own = head + 1 < 128 ? 1 : 2; /* the head includes the bytes of its own size */
    strbuf_clear(&p->record);
    uint8_t *at = (uint8_t *)strbuf_room(&p->record, own + head + body), *values = at + own + head;
    at = put_varint(at, own + head);
    for (unsigned i = 0; i < count; i++) {
        at = put_varint(at, forms[i].serial);
        values = put_value(values, &cells[i], forms[i]);
    }
    strbuf_took(&p->record, own + head + body);
}

static void finish_leaf(struct sqlite_pages *p) {
    p->leaf[0] = LEAF;
    put_be(p->leaf + 1, 0, 2);
    put_be(p->leaf + 3, p->leaf_cells, 2);
    put_be(p->leaf + 5, p->leaf_low & 65535, 2);
    p->leaf[7] = 0;
    size_t used = LEAF_HEADER + 2 * (size_t)p->leaf_cells;
    memset(p->leaf + used, 0, p->leaf_low - used);
}

static int flush_leaf(struct sqlite_pages *p, struct err *err) {
    finish_leaf(p);
    if (append_page(p, p->leaf, err) != 0) return -1;
    vec_push(&p->children, ((struct sqlite_child){p->page_count, p->last}));
    p->leaf_cells = 0;
    p->leaf_low = p->page_size;
    return 0;
}

void sqlite_pages_table(struct sqlite_pages *p, uint32_t root) {
    p->root = root;
    p->leaf_cells = 0;
    p->leaf_low = p->page_size;
    p->children.len = 0;
}

/* What does not fit into a page goes to a separate chain of pages: 4 bytes with the number of the next, then the bytes. */
static int write_overflow(struct sqlite_pages *p, struct slice rest, struct err *err) {
    uint8_t *page = mem_zalloc(1, p->page_size);
    int rc = 0;
    while (rc == 0 && rest.len) {
        struct slice part = slice_take(rest, p->page_size - 4);
        rest = slice_skip(rest, part.len);
        uint32_t own = page_after(p, p->page_count);
        put_be(page, rest.len ? page_after(p, own) : 0, 4);
        memcpy(page + 4, part.ptr, part.len);
        memset(page + 4 + part.len, 0, p->page_size - 4 - part.len);
        rc = append_page(p, page, err);
    }
    free(page);
    return rc;
}

/* Bytes of a record that stay in the leaf. */
static size_t local_bytes(const struct sqlite_pages *p, size_t record) {
    size_t most = p->page_size - 35, least = (p->page_size - 12) * 32 / 255 - 23;
    if (record <= most) return record;
    size_t fits = least + (record - least) % (p->page_size - 4);
    return fits <= most ? fits : least;
}

int sqlite_pages_row(struct sqlite_pages *p, int64_t rowid, const struct sqlite_cell *cells, unsigned count, struct err *err) {
    make_record(p, cells, count);
    struct slice record = strbuf_slice(&p->record);
    size_t local = local_bytes(p, record.len), spilled = record.len - local;
    size_t size = varint_size(record.len) + varint_size((uint64_t)rowid) + local + (spilled ? 4 : 0);
    size_t used = LEAF_HEADER + 2 * (size_t)p->leaf_cells;
    if (used + 2 + size > p->leaf_low) {
        if (flush_leaf(p, err) != 0) return -1;
        used = LEAF_HEADER;
    }
    p->leaf_low -= size;
    uint8_t *at = put_varint(p->leaf + p->leaf_low, record.len);
    at = put_varint(at, (uint64_t)rowid);
    memcpy(at, record.ptr, local);
    if (spilled) put_be(at + local, page_after(p, p->page_count), 4);
    put_be(p->leaf + used, p->leaf_low, 2);
    p->leaf_cells++;
    p->last = rowid;
    return spilled ? write_overflow(p, slice_skip(record, local), err) : 0;
}

/* --- the tree above the leaves --- */

static void make_interior(const struct sqlite_pages *p, uint8_t *page, const struct sqlite_child *children, size_t count) {
    size_t low = p->page_size;
    memset(page, 0, p->page_size);
    for (size_t i = 0; i + 1 < count; i++) {
        low -= 4 + varint_size((uint64_t)children[i].last);
        put_be(page + low, children[i].page, 4);
        put_varint(page + low + 4, (uint64_t)children[i].last);
        put_be(page + INTERIOR_HEADER + 2 * i, low, 2);
    }
    page[0] = INTERIOR;
    put_be(page + 3, count - 1, 2);
    put_be(page + 5, low & 65535, 2);
    put_be(page + 8, children[count - 1].page, 4);
}

/* Adds pages above the children until one is enough: at least half full, so that none has a single child. */
static int raise_tree(struct sqlite_pages *p, uint8_t *page, struct err *err) {
    size_t most = (p->page_size - INTERIOR_HEADER) / CHILD_ROOM, count = p->children.len;
    while (count > most) {
        size_t above = (count + most - 1) / most, from = 0;
        for (size_t i = 0; i < above; i++) {
            size_t end = count * (i + 1) / above;
            make_interior(p, page, p->children.items + from, end - from);
            if (append_page(p, page, err) != 0) return -1;
            p->children.items[i] = (struct sqlite_child){p->page_count, p->children.items[end - 1].last};
            from = end;
        }
        count = above;
    }
    make_interior(p, page, p->children.items, count);
    return write_at(p, page, p->page_size, (uint64_t)(p->root - 1) * p->page_size, err);
}

int sqlite_pages_table_end(struct sqlite_pages *p, struct err *err) {
    if (!p->children.len) {
        finish_leaf(p);
        return write_at(p, p->leaf, p->page_size, (uint64_t)(p->root - 1) * p->page_size, err);
    }
    if (flush_leaf(p, err) != 0) return -1;
    uint8_t *page = mem_alloc(p->page_size);
    int rc = raise_tree(p, page, err);
    free(page);
    return rc;
}

int sqlite_pages_finish(struct sqlite_pages *p, struct err *err) {
    uint8_t count[4];
    put_be(count, p->page_count, sizeof count);
    if (write_ahead(p, err) != 0) return -1;
    return write_at(p, count, sizeof count, AT_PAGE_COUNT, err);
}

void sqlite_pages_release(struct sqlite_pages *p) {
    if (p->fd >= 0) close(p->fd);
    free(p->leaf);
    strbuf_release(&p->ahead);
    strbuf_release(&p->record);
    vec_release(&p->children);
    *p = (struct sqlite_pages){.fd = -1};
}
