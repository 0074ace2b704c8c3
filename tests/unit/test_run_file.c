/* SPDX-License-Identifier: Apache-2.0 */
/* A run written to a file and read back is the same run; a damaged file is refused or read soundly. */
#include <fcntl.h>
#include <unistd.h>

#include "run_testing.h"

#include "analysis/run/live_curve.h"
#include "analysis/search/late.h"
#include "model/run_file.h"

enum { CHECK_AT = 24, BODY_FROM = 512 };

/* The file's bytes, to be freed. */
static struct slice written(const struct run *run) {
    char path[] = "/tmp/ttmem-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    struct outfile file = {.path = path, .fd = fd};
    struct err err = {0};
    assert_int_equal(run_file_write(run, &file, &err), 0);
    off_t size = lseek(fd, 0, SEEK_END);
    char *bytes = mem_alloc((size_t)size);
    assert_int_equal(pread(fd, bytes, (size_t)size, 0), size);
    close(fd);
    unlink(path);
    return slice_of(bytes, (size_t)size);
}

static void crafted(struct run *run, struct source *source) {
    read_file(run, source, "tests/data/crafted_all_cases.log");
    run->text = source->bytes;
}

static void test_same_run(void **state) {
    (void)state;
    struct run run, again;
    struct source source;
    crafted(&run, &source);
    struct slice bytes = written(&run);
    assert_int_equal(run_file_read(&again, bytes), RUN_FILE_READ);
    struct strbuf a = summary_of(&run), b = summary_of(&again);
    assert_string_equal(strbuf_text(&a), strbuf_text(&b));
    assert_int_equal(run.ops.len, again.ops.len);
    for (size_t i = 0; i < run.ops.len; i++)
        assert_true(slice_equal(run_op_text(&run, &run.ops.items[i]), run_op_text(&again, &again.ops.items[i])));
    for (size_t i = 0; i < run.modules.len; i++) {
        assert_int_equal(run.modules.items[i].text.ops.len, again.modules.items[i].text.ops.len);
        assert_int_equal(run.modules.items[i].text.arguments.len, again.modules.items[i].text.arguments.len);
    }
    strbuf_release(&a);
    strbuf_release(&b);
    run_release(&run);
    run_release(&again);
    source_release(&source);
    free((char *)(uintptr_t)bytes.ptr);
}

static void test_damaged_is_refused(void **state) {
    (void)state;
    struct run run, again;
    struct source source;
    crafted(&run, &source);
    struct slice bytes = written(&run);
    char *data = (char *)(uintptr_t)bytes.ptr;
    for (size_t cut = 0; cut < bytes.len; cut += 97) {
        assert_true(run_file_read(&again, slice_take(bytes, cut)) != RUN_FILE_READ);
        run_release(&again);
    }
    data[bytes.len / 2] ^= 1;
    assert_int_equal(run_file_read(&again, bytes), RUN_FILE_DAMAGED);
    run_release(&again);
    data[bytes.len / 2] ^= 1;
    data[16] ^= 1;
    assert_int_equal(run_file_read(&again, bytes), RUN_FILE_OTHER);
    run_release(&again);
    run_release(&run);
    source_release(&source);
    free(data);
}

/* What somebody wrote on purpose, with a check that fits: whatever is accepted can be walked through. */
static void test_lies_are_sound(void **state) {
    (void)state;
    struct run run, again;
    struct source source;
    crafted(&run, &source);
    struct slice bytes = written(&run);
    char *data = (char *)(uintptr_t)bytes.ptr;
    uint64_t seed = 1, texts;
    memcpy(&texts, data + 40, sizeof texts);
    size_t accepted = 0;
    for (unsigned round = 0; round < 3000; round++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        size_t at = BODY_FROM + (size_t)(seed >> 20) % (bytes.len - BODY_FROM);
        char kept = data[at];
        data[at] = (char)(seed >> 56);
        size_t body = bytes.len - run_file_head_bytes() - (size_t)texts;
        struct slice rest = slice_skip(bytes, run_file_head_bytes());
        uint64_t check = hash_mix(hash_bytes64(slice_take(rest, body)), hash_bytes64(slice_skip(rest, body)));
        memcpy(data + CHECK_AT, &check, sizeof check);
        if (run_file_read(&again, bytes) == RUN_FILE_READ) {
            struct strbuf text = summary_of(&again);
            strbuf_release(&text);
            free(live_curve(&again));
            struct late late;
            late_find(&again, POOL_DRAM, &late);
            late_release(&late);
            accepted++;
        }
        run_release(&again);
        data[at] = kept;
    }
    assert_true(accepted > 0);
    run_release(&run);
    source_release(&source);
    free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_run), cmocka_unit_test(test_damaged_is_refused),
                                       cmocka_unit_test(test_lies_are_sound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
