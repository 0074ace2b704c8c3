/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that are loaded when they are used. */
#include <math.h>
#include <zlib.h>

#include "base/dynlib.h"
#include "testing.h"

#define MATH_FUNCTIONS(F) F(, floor) F(, ceil)
#define Z_FUNCTIONS(F) F(, crc32) F(, zlib_has_no_such_function)
extern int zlib_has_no_such_function(void);

static struct { MATH_FUNCTIONS(DYNLIB_MEMBER) } math;
static const char *const math_names[] = {MATH_FUNCTIONS(DYNLIB_NAME)};
static struct { Z_FUNCTIONS(DYNLIB_MEMBER) } z;
static const char *const z_names[] = {Z_FUNCTIONS(DYNLIB_NAME)};

static void a_table_is_filled_once(void **state) {
    (void)state;
    static struct dynlib library = DYNLIB("rounding", "libm.so.6", math_names, math);
    struct err err = {0};
    assert_null(math.floor);
    assert_int_equal(dynlib_load(&library, ERR_INPUT, &err), 0);
    assert_true(math.floor(1.5) == 1 && math.ceil(1.5) == 2);
    library.file = "libm-that-is-gone.so";
    assert_int_equal(dynlib_load(&library, ERR_INPUT, &err), 0);
}

static void a_library_that_is_not_there_is_named_with_its_feature(void **state) {
    (void)state;
    static struct dynlib library = DYNLIB("drawing PNG", "libnowhere.so.7", math_names, math);
    struct err err = {0};
    assert_int_equal(dynlib_load(&library, ERR_OUTPUT, &err), -1);
    assert_int_equal(err.code, ERR_OUTPUT);
    assert_string_equal(err.text,
                        "drawing PNG needs the library libnowhere.so.7, which is not installed or cannot be loaded "
                        "(libnowhere.so.7: cannot open shared object file: No such file or directory)");
    assert_int_equal(dynlib_load(&library, ERR_OUTPUT, &err), -1);
}

static void a_library_without_one_of_the_functions_is_refused(void **state) {
    (void)state;
    static struct dynlib library = DYNLIB("counting", "libz.so.1", z_names, z);
    struct err err = {0};
    assert_int_equal(dynlib_load(&library, ERR_INPUT, &err), -1);
    assert_non_null(strstr(err.text, "counting needs the library libz.so.1"));
    assert_non_null(strstr(err.text, "undefined symbol: zlib_has_no_such_function"));
}

static void a_feature_that_is_left_out_says_so(void **state) {
    (void)state;
    struct err err = {0};
    assert_int_equal(dynlib_left_out("drawing PNG", "TTMEM_PNG", ERR_OUTPUT, &err), -1);
    assert_int_equal(err.code, ERR_OUTPUT);
    assert_string_equal(err.text, "drawing PNG is not part of this build of ttmem (TTMEM_PNG was OFF)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_filled_once),
        cmocka_unit_test(a_library_that_is_not_there_is_named_with_its_feature),
        cmocka_unit_test(a_library_without_one_of_the_functions_is_refused),
        cmocka_unit_test(a_feature_that_is_left_out_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
