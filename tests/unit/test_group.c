/* SPDX-License-Identifier: Apache-2.0 */
/* Brackets skipped 32 bytes at a time against the rule read byte by byte. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "scan/group.h"
#include "testing.h"

static const char *skip_by_the_rule(const char *p, const char *end) {
    long depth = 0;
    bool quoted = false;
    const char *start = p;
    for (; p < end; p++) {
        if (quoted) {
            if (*p == '\\') p++;
            else if (*p == '"') quoted = false;
        } else if (*p == '"') {
            quoted = true;
        } else if (strchr("([{<", *p) && *p) {
            depth++;
        } else if (strchr(")]}>", *p) && *p && !(*p == '>' && p > start && p[-1] == '-')) {
            depth--;
        }
        if (!quoted && depth == 0 && p < end) return p + 1;
    }
    return NULL;
}

static uint64_t state = 88172645463325252u;
static unsigned random_below(unsigned n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state % n);
}

static void fast_is_the_rule(void **unused) {
    (void)unused;
    /* mostly plain bytes, so that groups cross several blocks; bytes above 127 whose lower half looks like a bracket's */
    static const char bytes[] = "()[]{}<>\"\\-> ,x1:#%\xa8\xa9\xbc\xbe\xdb\xdd\xfb\xfd\xa2";
    size_t found = 0;
    for (int round = 0; round < 200000; round++) {
        char text[200];
        size_t len = 1 + random_below(sizeof text - 1);
        unsigned dense = 1 + random_below(40);
        for (size_t i = 0; i < len; i++) text[i] = random_below(dense) ? 'a' : bytes[random_below(sizeof bytes - 1)];
        text[0] = "([{<\""[random_below(5)];
        char *exact = malloc(len); /* a byte read after the end is seen by the sanitizer */
        assert_non_null(exact);
        memcpy(exact, text, len);
        const char *want = skip_by_the_rule(exact, exact + len), *got = group_skip(exact, exact + len);
        if (want != got)
            fail_msg("%.*s: %ld, wanted %ld", (int)len, exact, got ? (long)(got - exact) : -1,
                     want ? (long)(want - exact) : -1);
        found += got != NULL;
        free(exact);
    }
    assert_true(found > 20000); /* both ends are tried */
    assert_true(found < 180000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fast_is_the_rule)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
