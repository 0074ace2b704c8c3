/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/err.h"
#include "device/chip.h"

int chip_choose(const char *name, const struct chip **chip, struct err *err) {
    char known[256];
    size_t used = 0;
    *chip = chip_find(slice_from(name));
    if (*chip) return 0;
    for (const struct chip *c = chip_table; c->name && used < sizeof known; c++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", c->name);
    return err_set(err, ERR_USAGE, "unknown device '%.60s'; known are %s", name, known);
}
