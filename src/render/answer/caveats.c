/* SPDX-License-Identifier: Apache-2.0 */
#include "render/answer/caveats.h"

#include "analysis/failure/cut.h"
#include "analysis/run/overview.h"
#include "base/amounts.h"
#include "render/format/warning_words.h"

static void add_missing(struct strbuf *out, const struct run *run) {
    struct overview o = {0};
    overview_missing(run, &o);
    for (size_t i = 0; i < o.missing.len; i++) strbuf_addf(out, "not in this input: %s\n", o.missing.items[i].what);
    vec_release(&o.missing);
}

static void add_bounds(struct strbuf *out, const struct run *run) {
    struct peaks peaks;
    peaks_find(run, &peaks, NULL);
    for (unsigned i = 0; i < POOL_COUNT; i++)
        if (peaks.pools[i].seen && peaks.pools[i].at_least)
            strbuf_addf(out, "the %s peak is a lower bound: %s\n", pool_names[i], peak_bound_words(&peaks.pools[i]));
}

static void add_warnings(struct strbuf *out, const struct run *run) {
    for (unsigned i = 0; i < WARN_COUNT; i++) {
        if (!run->warnings[i]) continue;
        strbuf_addf(out, "%s %s", figure_grouped(run->warnings[i]).text, warning_words((enum warning)i, run->warnings[i]));
        if (run->first_warning_line[i]) strbuf_addf(out, ", first at line %s", figure_grouped(run->first_warning_line[i]).text);
        struct slice file = run_string(run, run->first_warning_file[i]);
        if (file.len) strbuf_addf(out, " of rank %.*s", SLICE_FMT(file));
        strbuf_addc(out, '\n');
    }
}

void run_caveats(struct strbuf *out, const struct run *run) {
    struct log_cut cut = log_cut_of(run);
    if (cut.cut) strbuf_addz(out, "the log ends in the middle of a run: it was cut, or the process was killed\n");
    add_missing(out, run);
    add_bounds(out, run);
    if (run->origin == RUN_LOG && run->tensors.len)
        strbuf_addz(out, "live tensors, padding and classes are estimated from op lines\n");
    add_warnings(out, run);
}
