/* SPDX-License-Identifier: Apache-2.0 */
#include "render/search/live_groups_report.h"

#include "base/amounts.h"
#include "base/num.h"
#include "render/answer/live_rows.h"
#include "render/format/json_parts.h"

static struct figure mb(uint64_t bytes) { return figure_milli(num_bytes_to_milli_mb(bytes), 3); }

static size_t listed(const struct live_place *place, const struct live_groups *groups) {
    return place->limit && place->limit < groups->groups.len ? place->limit : groups->groups.len;
}

static bool any_total(const struct live_groups *groups) {
    bool total = false;
    for (size_t i = 0; i < groups->groups.len; i++) total |= groups->groups.items[i].sum.bank_unknown > 0;
    return total;
}

static void text_group(struct strbuf *out, const struct term *term, const struct run *run, const struct live_groups *groups,
                       const struct live_group *group, bool total) {
    struct slice key = strtab_get(&groups->keys, group->key);
    strbuf_addf(out, "%12s MB  %7s x  ", mb(total ? group->sum.padded_bytes : group->sum.per_bank_bytes).text,
                figure_grouped(group->sum.tensors).text);
    size_t start = out->len;
    term_text(out, term, key.len ? key : SLICE("not known"), 72);
    size_t used = out->len - start;
    strbuf_fill(out, ' ', used < 36 ? 36 - used : 2);
    if (group->sum.tensors > 1 && !total) strbuf_addf(out, "largest %s  ", mb(group->largest_bytes_per_bank).text);
    if (group->first_record != NONE) {
        strbuf_addz(out, group->sum.tensors > 1 ? "first " : "");
        live_rows_op(out, term, run, group->first_record);
    }
    while (out->len && out->data[out->len - 1] == ' ') out->len--;
    strbuf_addc(out, '\n');
}

size_t live_groups_text(struct strbuf *out, const struct term *term, const struct run *run, const struct live_place *place) {
    const struct live_groups *groups = place->groups;
    size_t shown = listed(place, groups);
    bool total = any_total(groups);
    if (total) strbuf_addz(out, "  MB in total: the number of banks is not known.\n\n");
    for (size_t i = 0; i < shown; i++) text_group(out, term, run, groups, &groups->groups.items[i], total);
    if (!groups->groups.len) strbuf_addz(out, "  no tensor is known here\n");
    return groups->groups.len - shown;
}

void live_groups_json(struct json *j, const struct run *run, const struct live_place *place) {
    const struct live_groups *groups = place->groups;
    size_t shown = listed(place, groups);
    json_array(j);
    for (size_t i = 0; i < shown; i++) {
        const struct live_group *group = &groups->groups.items[i];
        json_object(j);
        json_member_text_or_null(j, "key", strtab_get(&groups->keys, group->key));
        json_key(j, "sum");
        json_sum(j, &group->sum);
        json_member_u64_if(j, "largest_bytes_per_bank", !group->sum.bank_unknown, group->largest_bytes_per_bank);
        json_member_op(j, "first_op", run, group->first_record);
        json_object_end(j);
    }
    json_array_end(j);
    json_member_u64(j, "left_out", groups->groups.len - shown);
}
