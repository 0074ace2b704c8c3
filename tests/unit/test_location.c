/* SPDX-License-Identifier: Apache-2.0 */
/* MLIR locations: every form of the printed text, names for people, keys that tell places apart. */
#include "testing.h"

#include "parse/location.h"
#include "parse/location_key.h"

static void assert_name(const char *location, const char *display) {
    struct strbuf name = {0};
    location_display(&name, slice_from(location));
    assert_slice(strbuf_slice(&name), display);
    strbuf_release(&name);
}

static void every_form_has_a_name(void **state) {
    (void)state;
    assert_name("unknown", "");
    assert_name("\"dot.12\"", "dot.12");
    assert_name("\"reduce.864_mean\"(\"reduce.864\")", "reduce.864_mean");
    assert_name("\"a\"(\"b\"(\"c\"))", "a");
    assert_name("\"/p/m.py\":47:11", "/p/m.py:47:11");
    assert_name("\"f\":1:2 to :9", "f:1:2");
    assert_name("\"f\":1:2 to 3:4", "f:1:2");
    assert_name("fused[\"a\", \"b\"]", "a, b");
    assert_name("fused<\"meta\">[\"a\", \"b\"]", "a, b");
    assert_name("fused<#m<x = [1, 2]>>[\"a\"]", "a");
    assert_name("callsite(\"a\" at \"b\")", "a");
    assert_name("callsite(\"a\"(\"x at y\") at callsite(\"b\" at \"c\"))", "a");
    assert_name("fused[unknown, \"b\"]", "b");
}

static void escapes_are_decoded(void **state) {
    (void)state;
    assert_name("\"a\\22b\\22\"", "a\"b\"");
    assert_name("\"line\\0Abreak\"", "line\nbreak");
    assert_name("\"line\\nbreak\\ttab\"", "line\nbreak\ttab");
    assert_name("\"back\\\\slash\"", "back\\slash");
    assert_name("\"variables['params']['w']\"", "variables['params']['w']");
    assert_name("\"3|Mlp[m.mlp]|x.py:12|forward|40|add\"", "3|Mlp[m.mlp]|x.py:12|forward|40|add");
}

static void odd_text_gives_no_name_and_no_crash(void **state) {
    (void)state;
    static const char *const odd[] = {"",          "\"",         "\"a",   "fused", "fused[", "fused<",
                                      "callsite(", "callsite()", "#loc5", "(((",   ")"};
    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        struct strbuf name = {0};
        location_display(&name, slice_from(odd[i]));
        assert_int_equal(name.len, 0);
        strbuf_release(&name);
    }
    struct strbuf deep = {0}, name = {0};
    for (int i = 0; i < 20000; i++) strbuf_addz(&deep, "fused[");
    location_display(&name, strbuf_slice(&deep));
    for (int i = 0; i < 20000; i++) strbuf_addc(&deep, ']');
    location_display(&name, strbuf_slice(&deep));
    location_key(strbuf_slice(&deep), NULL);
    assert_int_equal(name.len, 0);
    strbuf_release(&deep);
    strbuf_release(&name);
}

static struct slice alias_text(void *context, struct slice alias) {
    (void)context;
    if (slice_equal(alias, SLICE("#loc3"))) return SLICE("\"dot.12\"");
    if (slice_equal(alias, SLICE("#loc4"))) return SLICE("\"maximum.15\"");
    if (slice_equal(alias, SLICE("#loc5"))) return SLICE("#loc5"); /* refers to itself */
    return SLICE("");
}

static uint64_t alias_key(void *context, struct slice alias) { return location_key(alias_text(context, alias), NULL); }

static void aliases_are_followed(void **state) {
    (void)state;
    struct location_names names = {NULL, alias_text};
    struct strbuf name = {0};
    location_display_with(&name, SLICE("fused[#loc3, #loc4]"), &names);
    assert_slice(strbuf_slice(&name), "dot.12, maximum.15");
    strbuf_clear(&name);
    location_display_with(&name, SLICE("#loc5"), &names);
    location_display_with(&name, SLICE("#loc9"), &names);
    assert_int_equal(name.len, 0);
    strbuf_release(&name);
}

static void equal_places_have_equal_keys_with_and_without_aliases(void **state) {
    (void)state;
    static const struct {
        const char *aliased;
        const char *written_out;
    } rows[] = {
        {"#loc3", "\"dot.12\""},
        {"\"dot.12_weight\"(#loc3)", "\"dot.12_weight\"(\"dot.12\")"},
        {"fused[#loc3, #loc4]", "fused[\"dot.12\", \"maximum.15\"]"},
        {"callsite(#loc3 at #loc4)", "callsite(\"dot.12\" at \"maximum.15\")"},
        {"callsite(\"a at b\" at #loc4)", "callsite(\"a at b\" at \"maximum.15\")"},
    };
    struct location_aliases aliases = {NULL, alias_key};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t written = location_key(slice_from(rows[i].written_out), NULL);
        assert_true(written != 0);
        assert_true(location_key(slice_from(rows[i].aliased), &aliases) == written);
        for (size_t k = 0; k < i; k++) assert_true(location_key(slice_from(rows[k].written_out), NULL) != written);
    }
    assert_true(location_key(SLICE("unknown"), NULL) == 0);
    assert_true(location_key(SLICE("\"f\":1:2"), NULL) != location_key(SLICE("\"f\":1:3"), NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_has_a_name),
        cmocka_unit_test(escapes_are_decoded),
        cmocka_unit_test(odd_text_gives_no_name_and_no_crash),
        cmocka_unit_test(aliases_are_followed),
        cmocka_unit_test(equal_places_have_equal_keys_with_and_without_aliases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
