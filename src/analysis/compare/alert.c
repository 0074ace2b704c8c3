/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/alert.h"

#include <strings.h>

#include "base/num.h"
#include "base/size.h"

static int not_understood(const char *text, struct err *err) {
    return err_set(
        err, ERR_USAGE,
        "--alert takes a memory (dram, l1, l1_small, trace, cb), > or >=, and a share or a size, such as 'dram>90%%' "
        "or 'l1>=64MB', not '%.100s'",
        text);
}

int alert_parse(struct alert *alert, const char *text, struct err *err) {
    struct slice rest = slice_trim(slice_from(text));
    *alert = (struct alert){.text = text};
    size_t sign = slice_find_byte(rest, '>');
    struct slice name = slice_trim(slice_take(rest, sign));
    unsigned kind = 0;
    while (kind < SHM_KINDS &&
           (name.len != strlen(shm_kind_keys[kind]) || strncasecmp(name.ptr, shm_kind_keys[kind], name.len) != 0))
        kind++;
    if (sign == SLICE_NONE || kind == SHM_KINDS) return not_understood(text, err);
    alert->kind = (enum shm_kind)kind;
    rest = slice_skip(rest, sign + 1);
    if (rest.len && rest.ptr[0] == '=') {
        alert->or_equal = true;
        rest = slice_skip(rest, 1);
    }
    rest = slice_trim(rest);
    if (rest.len && rest.ptr[rest.len - 1] == '%') {
        struct slice number = slice_trim(slice_take(rest, rest.len - 1));
        alert->is_share = true;
        if (!number.len || num_read_thousandths(number, &alert->thousandths) != number.len) return not_understood(text, err);
        return alert->thousandths > 100000 ? not_understood(text, err) : 0;
    }
    return size_read(rest, &alert->bytes) ? 0 : not_understood(text, err);
}

bool alert_holds(const struct alert *alert, const struct live_device *device, const struct chip *chip) {
    uint64_t sum = device->sum[alert->kind], capacity = live_capacity(chip, alert->kind), limit = alert->bytes;
    if (device->problem != DEVICE_OK || (alert->is_share && !capacity)) return false;
    if (alert->is_share) limit = (uint64_t)((unsigned __int128)capacity * alert->thousandths / 100000);
    return alert->or_equal ? sum >= limit : sum > limit;
}
