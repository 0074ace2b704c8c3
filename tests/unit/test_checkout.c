/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"
#include "work/checkout.h"

static char root[64];

static int make_checkout(void **state) {
    (void)state;
    static const char *const files[] = {"src/models/net.py", "models/net.py", "top.py", "with space.py"};
    char path[160];
    snprintf(root, sizeof root, "/tmp/ttmem-checkout-XXXXXX");
    if (!mkdtemp(root)) return -1;
    snprintf(path, sizeof path, "%s/src/models", root);
    make_folders(path, NULL);
    snprintf(path, sizeof path, "%s/models", root);
    make_folders(path, NULL);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", root, files[i]);
        if (outfile_put(path, SLICE("x\n"), NULL) != 0) return -1;
    }
    return 0;
}

static int remove_checkout(void **state) {
    (void)state;
    char command[160];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static void a_location_leads_to_a_file_of_the_checkout(void **state) {
    (void)state;
    static const struct {
        const char *location, *path;
        unsigned line;
    } cases[] = {
        {"/src/models/net.py:123", "src/models/net.py", 123},
        {"src/models/net.py:123:7", "src/models/net.py", 123},
        {"./src/models/net.py:4", "src/models/net.py", 4},
        {"/home/me/repo/models/net.py:5", "models/net.py", 5},
        {"309|Model[model]|Layer[model.layers.29]|/src/models/net.py:591|forward|309|aten__dot.87", "src/models/net.py", 591},
        /* the last one is the innermost */
        {"\"top.py\":1, /src/models/net.py:2", "src/models/net.py", 2},
        {"top.py:8", "top.py", 8},
        {"/usr/lib/top.py:8", NULL, 0}, /* a name alone is in too many places */
        {"/usr/lib/python3/other.py:8", NULL, 0},
        {"../../etc/passwd:1", NULL, 0},
        {"/src/models/../models/net.py:1", NULL, 0},
        {"/src/models/net.py", NULL, 0},
        {"/src/models/net.py:0", NULL, 0},
        {"/src/models/net.py:12x", NULL, 0},
        {"/src/models/net.py:99999999999999999999", NULL, 0},
        {"/src/models/net.py:4294967297", NULL, 0},
        {"/src/models:3", NULL, 0},
        {":3", NULL, 0},
        {"", NULL, 0},
        {"dot.95", NULL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strbuf path = {0};
        uint32_t line = 0;
        bool found = checkout_find(root, slice_from(cases[i].location), &path, &line);
        if (found != (cases[i].path != NULL)) fail_msg("%s", cases[i].location);
        if (found) assert_string_equal(strbuf_text(&path), cases[i].path);
        if (found) assert_int_equal(line, cases[i].line);
        strbuf_release(&path);
    }
}

static void a_path_below_the_root_is_its_own(void **state) {
    (void)state;
    char location[128];
    struct strbuf path = {0};
    uint32_t line = 0;
    snprintf(location, sizeof location, "%s/models/net.py:9", root);
    assert_true(checkout_find(root, slice_from(location), &path, &line));
    assert_string_equal(strbuf_text(&path), "models/net.py");
    strbuf_clear(&path);
    snprintf(location, sizeof location, "%s/top.py", root);
    checkout_relative(root, location, &path);
    assert_string_equal(strbuf_text(&path), "top.py");
    strbuf_clear(&path);
    checkout_relative(root, "/etc/hostname", &path);
    assert_string_equal(strbuf_text(&path), "/etc/hostname");
    strbuf_release(&path);
}

static void the_root_is_the_one_of_the_ci_system(void **state) {
    (void)state;
    struct strbuf found = {0};
    setenv("GITHUB_WORKSPACE", root, 1);
    checkout_root(&found);
    assert_string_equal(strbuf_text(&found), root);
    strbuf_clear(&found);
    unsetenv("GITHUB_WORKSPACE");
    setenv("CI_PROJECT_DIR", root, 1);
    checkout_root(&found);
    assert_string_equal(strbuf_text(&found), root);
    unsetenv("CI_PROJECT_DIR");
    strbuf_clear(&found);
    char git[96];
    snprintf(git, sizeof git, "%s/.git", root);
    mkdir(git, 0755);
    snprintf(git, sizeof git, "%s/src/models", root);
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(git), 0);
    checkout_root(&found);
    assert_int_equal(chdir(here), 0);
    assert_string_equal(strbuf_text(&found), root);
    strbuf_release(&found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_location_leads_to_a_file_of_the_checkout),
        cmocka_unit_test(a_path_below_the_root_is_its_own),
        cmocka_unit_test(the_root_is_the_one_of_the_ci_system),
    };
    return cmocka_run_group_tests(tests, make_checkout, remove_checkout);
}
