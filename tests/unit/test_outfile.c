/* SPDX-License-Identifier: Apache-2.0 */
/* base/: files appear whole, and what they replace goes afterwards. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"
#include "testing.h"

static char folder[] = "/tmp/ttmem-outfile-XXXXXX";
static char path[64];

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/out.json", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder); /* fails where a temporary file is left */
}

static void holds(const char *file, const char *expected) {
    struct strbuf text = file_text(file);
    assert_string_equal(strbuf_text(&text), expected);
    strbuf_release(&text);
}

static void written(struct outfile *file, const char *text) {
    struct err err = {0};
    assert_int_equal(outfile_open(file, path, &err), 0);
    assert_int_equal(outfile_write(file, slice_from(text), &err), 0);
}

static void a_file_without_predecessor_appears_by_the_swap(void **state) {
    (void)state;
    struct outfile file;
    struct err err = {0};
    unlink(path);
    written(&file, "first");
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(outfile_swap(&file, &err), 0);
    holds(path, "first");
    assert_null(file.temporary);
    outfile_abort(&file);
    holds(path, "first");
}

static void the_predecessor_stays_until_the_end_and_can_be_given_back(void **state) {
    (void)state;
    struct outfile file;
    struct err err = {0};
    assert_int_equal(outfile_put(path, SLICE("old"), &err), 0);
    written(&file, "new");
    holds(path, "old");
    assert_int_equal(outfile_swap(&file, &err), 0);
    holds(path, "new");
    if (file.temporary) { /* the file system can exchange names */
        holds(file.temporary, "old");
        assert_int_equal(outfile_swap(&file, &err), 0);
        holds(path, "old");
        assert_int_equal(outfile_swap(&file, &err), 0);
    }
    outfile_abort(&file);
    holds(path, "new");
}

static void a_link_is_replaced_not_followed(void **state) {
    (void)state;
    struct outfile file;
    struct err err = {0};
    struct stat st;
    unlink(path);
    assert_int_equal(symlink("nowhere", path), 0);
    written(&file, "new");
    assert_int_equal(outfile_swap(&file, &err), 0);
    outfile_abort(&file);
    assert_int_equal(lstat(path, &st), 0);
    assert_true(S_ISREG(st.st_mode));
    holds(path, "new");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_without_predecessor_appears_by_the_swap),
        cmocka_unit_test(the_predecessor_stays_until_the_end_and_can_be_given_back),
        cmocka_unit_test(a_link_is_replaced_not_followed),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
