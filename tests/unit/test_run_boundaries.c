/* SPDX-License-Identifier: Apache-2.0 */
/* Where a log is cut into pieces changes nothing: intact logs, damaged ones, logs with failures, at a thousand boundaries. */
#include "run_testing.h"

#include <dirent.h>
#include <stdlib.h>

#include "model/fold.h"
#include "scan/chunks.h"

enum { BOUNDARIES = 1000, VARIANTS = 100 };

static uint64_t seed = 88172645463325252u;

static uint64_t any(uint64_t below) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed % below;
}

static struct strbuf file_of(const char *path) {
    struct source source;
    struct err err = {0};
    struct strbuf text = {0};
    assert_int_equal(source_open(&source, path, &err), 0);
    strbuf_add(&text, source.bytes);
    source_release(&source);
    return text;
}

/* As the files of a disk are read, with chunks of any size. */
static int64_t read_slice(const void *context, uint64_t offset, char *out, size_t room) {
    struct slice some = slice_take(slice_skip(*(const struct slice *)context, offset), room);
    memcpy(out, some.ptr, some.len);
    return (int64_t)some.len;
}

static void read_chunks(struct run *run, struct slice log, size_t chunk_bytes) {
    struct chunk_file file = {&log, read_slice, log.len, chunk_bytes};
    struct chunk chunk = {0};
    struct log_piece piece = {0};
    struct log_worker worker;
    struct fold fold;
    *run = (struct run){0};
    fold_init(&fold, run, slice_of("", 0));
    log_worker_init(&worker, 0, true);
    for (size_t i = 0; i < chunk_count(&file); i++) {
        assert_int_equal(chunk_read(&chunk, &file, i), 0);
        log_parse(&worker, &piece, slice_of(chunk.data, chunk.len), chunk.begin, chunk.end, chunk.offset);
        fold_piece(&fold, &piece);
    }
    run->bytes = log.len;
    fold_finish(&fold);
    log_worker_release(&worker);
    log_piece_release(&piece);
    chunk_release(&chunk);
}

/* In two halves, as a pipe may hand them over. */
static void read_halves(struct run *run, struct slice log, size_t boundary) {
    *run = (struct run){0};
    struct run_feed *feed = run_feed_new(run);
    run_feed_bytes(feed, slice_take(log, boundary));
    run_feed_bytes(feed, slice_skip(log, boundary));
    run_feed_finish(feed);
}

/* What the run says: its summary, its failures, where its blocks stand. */
static struct strbuf told(struct run *run) {
    struct strbuf out = summary_of(run);
    strbuf_addf(&out, "lines %llu\n", (unsigned long long)run->lines);
    for (size_t i = 0; i < run->failures.entries.len; i++) {
        const struct failure_entry *e = &run->failures.entries.items[i];
        strbuf_addf(&out, "failure %s line %llu count %llu step %u\n", failure_kind_name(e->failure.kind),
                    (unsigned long long)e->line, (unsigned long long)e->count, run->failure_sites.items[i].step);
    }
    for (size_t i = 0; i < run->blocks.len; i++)
        strbuf_addf(&out, "block %llu %u\n", (unsigned long long)run->blocks.items[i].line, run->blocks.items[i].have);
    run_release(run);
    return out;
}

static void expect_same(struct strbuf got, const struct strbuf *wanted, const char *how, size_t at, const char *name,
                        struct slice log) {
    bool same = slice_equal(strbuf_slice(&got), strbuf_slice(wanted));
    if (!same) {
        size_t differs = 0;
        while (differs < got.len && differs < wanted->len && got.data[differs] == wanted->data[differs]) differs++;
        size_t from = differs > 60 ? differs - 60 : 0;
        FILE *file = fopen("/tmp/ttmem-boundary.log", "w");
        if (file) {
            fwrite(log.ptr, 1, log.len, file);
            fclose(file);
        }
        print_message("%s: %s %zu (kept as /tmp/ttmem-boundary.log)\n  %.*s\n  %.*s\n", name, how, at,
                      SLICE_FMT(slice_take(slice_skip(strbuf_slice(wanted), from), 150)),
                      SLICE_FMT(slice_take(slice_skip(strbuf_slice(&got), from), 150)));
    }
    strbuf_release(&got);
    assert_true(same);
}

static void sweep(const char *name, struct slice log, size_t boundaries) {
    struct run run;
    read_halves(&run, log, log.len);
    struct strbuf wanted = told(&run);
    for (size_t i = 0; i < boundaries; i++) {
        size_t at = log.len < boundaries ? i % (log.len + 1) : i * log.len / boundaries;
        read_halves(&run, log, at);
        expect_same(told(&run), &wanted, "cut at", at, name, log);
    }
    for (size_t i = 0; i < boundaries; i += 20) {
        size_t size = 1 + (size_t)any(log.len / 2 + 2);
        read_chunks(&run, log, size);
        expect_same(told(&run), &wanted, "chunks of", size, name, log);
    }
    strbuf_release(&wanted);
}

/* Bytes lost, doubled or changed, lines of others between, tags before lines, lone carriage returns. */
static void damage(struct strbuf *text) {
    static const char *const put[] = {"\r",
                                      "\n",
                                      "\r\n",
                                      "[1,1]<stdout>:",
                                      "(worker pid=7) ",
                                      "\x1b[32m",
                                      " | ",
                                      "\0x",
                                      "}",
                                      "loading 10%\r",
                                      "TT_FATAL: Out of Memory: Not enough space to allocate 86450176 B L1 buffer\n",
                                      "info:\n",
                                      "Device 0 opened\n"};
    for (size_t n = 1 + any(8); n--;) {
        size_t at = any(text->len), len = any(200);
        if (len > text->len - at) len = text->len - at;
        struct strbuf next = {0};
        strbuf_add(&next, slice_of(text->data, at));
        if (any(2)) strbuf_addz(&next, put[any(sizeof put / sizeof *put)]);
        if (any(3) == 0) strbuf_add(&next, slice_of(text->data + at, len));
        size_t past = at + (any(3) == 0 ? len : 0);
        strbuf_add(&next, slice_of(text->data + past, text->len - past));
        strbuf_release(text);
        *text = next;
    }
}

static void intact(void **state) {
    (void)state;
    struct strbuf text = file_of("tests/data/crafted_all_cases.log");
    sweep("crafted", strbuf_slice(&text), BOUNDARIES);
    strbuf_release(&text);
}

static void damaged(void **state) {
    (void)state;
    for (int i = 0; i < VARIANTS; i++) {
        struct strbuf text = file_of("tests/data/crafted_all_cases.log");
        damage(&text);
        sweep("damaged", strbuf_slice(&text), 2 * BOUNDARIES / VARIANTS);
        strbuf_release(&text);
    }
}

static void failures(void **state) {
    (void)state;
    DIR *dir = opendir("tests/data/failures");
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[512];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "tests/data/failures/%s", entry->d_name);
        struct strbuf text = file_of(path);
        sweep(entry->d_name, strbuf_slice(&text), 200);
        strbuf_release(&text);
    }
    closedir(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(intact), cmocka_unit_test(damaged), cmocka_unit_test(failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
