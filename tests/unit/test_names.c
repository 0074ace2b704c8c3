/* SPDX-License-Identifier: Apache-2.0 */
/* Names of reports. */
#include "testing.h"

#include "input/names.h"

static void the_name_comes_from_the_file_name(void **state) {
    (void)state;
    static const struct {
        const char *path;
        const char *name;
    } rows[] = {
        {"my_model_profile.log", "my-model"},
        {"/var/log/my_model_profile.log", "my-model"},
        {"my_model_profile.log.gz", "my-model"},
        {"my_model_profile.log.zst", "my-model"},
        {"a_b.log", "a-b"},
        {"a-b.log", "a-b"},
        {"run.2026.06.log", "run.2026.06"},
        {"no_suffix", "no-suffix"},
        {"a_profile_profile.log", "a-profile"},
        {"profile.log", "profile"},
        {"a_profile.txt", "a"},
        {"a.gz", "a"},
        {"-", "stdin"},
        {".log", "report"},
        {"_profile.log", "report"},
        {"", "report"},
        {"dir/", "dir"},
        {"/a/out_2//", "out-2"},
        {"/", "report"},
        {"./x/../y_z.log", "y-z"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct strbuf name = {0};
        report_name(&name, rows[i].path);
        assert_string_equal(strbuf_text(&name), rows[i].name);
        strbuf_release(&name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_name_comes_from_the_file_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
