/* SPDX-License-Identifier: Apache-2.0 */
#include "render/page/page_fit.h"

#include "analysis/fit/near_end.h"

enum { MOST_ROWS = 30 };

static void row(struct json *j, const struct fit *fit, const struct fit_change *c) {
    json_array(j);
    json_text(j, c->name);
    json_u64(j, c->result.peak);
    json_text(j, fit_verdict_keys[fit_to_target(fit, &c->result, c->uncertainty)]);
    json_bool(j, !c->assumption);
    json_i64(j, c->place == NONE ? -1 : (int64_t)c->place);
    json_text(j, c->setting);
    json_text(j, c->assumption);
    json_u64(j, c->uncertainty + fit->difference);
    json_array_end(j);
}

void page_fit(struct json *j, const struct run *run) {
    struct fit_near_end near;
    if (!fit_near_end(&near, run)) return;
    const struct fit *fit = &near.fit;
    json_key(j, "fit");
    json_object(j);
    json_member_u64(j, "pool", fit->trace->pool);
    json_member_u64(j, "peak", fit->base.peak);
    json_member_u64(j, "target", fit_limit_of(fit, &fit->base));
    json_member_bool(j, "fits", fit->base.fits);
    json_member_bool(j, "certain", fit->set.found);
    json_key(j, "set");
    json_array(j);
    for (size_t i = 0; i < fit->set.count; i++) json_text(j, fit->changes.items[fit->set.changes[i]].name);
    json_array_end(j);
    json_key(j, "rows");
    json_array(j);
    for (size_t i = 0; i < fit->changes.len && i < MOST_ROWS; i++) row(j, fit, &fit->changes.items[i]);
    json_array_end(j);
    json_object_end(j);
    fit_near_end_release(&near);
}
