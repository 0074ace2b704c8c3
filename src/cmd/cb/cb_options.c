/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/cb/cb_options.h"

#include <stdlib.h>

#include "base/mem.h"
#include "device/chip.h"
#include "device/tile.h"

static bool is_set_value(struct slice text) {
    int64_t num;
    bool truth;
    return cb_set_truth(text, &truth) || cb_set_number(text, &num) || data_format_find_loosely(text);
}

int cb_sets_parse(const struct args *args, struct cb_set **sets, size_t *n, struct err *err) {
    *n = args_count(args, "set");
    *sets = mem_zalloc(*n + 1, sizeof **sets);
    for (size_t i = 0; i < *n; i++) {
        const char *text = args_nth(args, "set", i), *equals = strchr(text, '=');
        if (!equals || equals == text || !equals[1]) {
            free(*sets);
            *sets = NULL;
            return err_set(err, ERR_USAGE, "--set takes NAME=VALUE, not '%s'", text);
        }
        (*sets)[i] = (struct cb_set){.name = slice_of(text, (size_t)(equals - text)), .value = slice_from(equals + 1)};
        const struct cb_set *set = &(*sets)[i], *twice = NULL;
        for (size_t k = 0; k < i; k++)
            if (slice_equal((*sets)[k].name, set->name)) twice = set;
        if (!twice && is_set_value(set->value)) continue;
        int rc = twice ? err_set(err, ERR_USAGE, "--set gives '%.*s' twice", SLICE_FMT(set->name))
                       : err_set(err, ERR_USAGE, "--set takes a number, true, false or a data format such as Bfp8_b, not '%s'",
                                 text);
        free(*sets);
        *sets = NULL;
        return rc;
    }
    return 0;
}

void cb_set_unused(const struct invocation *inv, const struct cb_set *set) {
    work_note(&inv->work, "--set '%.*s': no size depends on that name", SLICE_FMT(set->name));
}

const struct chip *cb_chip(const struct args *args, struct err *err) {
    const char *name = args_text(args, "device");
    const struct chip *chip;
    chip_choose(name ? name : "wormhole_b0", &chip, err);
    return chip;
}
