/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a budget file, judged for a run that failed and for one against it. */
#include <stdint.h>
#include <stdlib.h>

#include "analysis/compare/budget.h"
#include "base/json_read.h"
#include "render/compare/budget.h"
#include "two_logs.h"

static const char base_log[] =
    "Memory state: DRAM\nDRAM: {total: 1000.0 MB}\n"; /* nothing that can be judged: all measures are missing */

static void judge(const struct budget *budget, const struct footprint *run, const struct footprint *baseline) {
    struct strbuf out = {0};
    struct term term = {.columns = 80};
    VEC(struct judgement) all = {0};
    size_t breaches = 0, not_judged = 0;
    for (size_t i = 0; i < budget->rules.len; i++) {
        struct judgement j = budget_judge(&budget->rules.items[i], run, baseline);
        breaches += j.state == JUDGED_BREACH;
        not_judged += j.state == JUDGED_NOT;
        if (j.state == JUDGED_NOT && !j.why) abort();
        vec_push(&all, j);
    }
    struct check_report report = {.judgements = all.items,
                                  .count = all.len,
                                  .run = run,
                                  .name = SLICE("fuzz"),
                                  .baseline = baseline ? SLICE("base") : SLICE(""),
                                  .breaches = breaches,
                                  .not_judged = not_judged};
    check_text(&out, &term, &report);
    strbuf_clear(&out);
    check_json(&out, &report);
    struct json_reader *reader = json_reader_new();
    struct json_value root;
    if (!json_parse(reader, strbuf_slice(&out), &root)) abort();
    json_reader_free(reader);
    vec_release(&all);
    strbuf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice text, log;
    struct fuzz_run run, base;
    struct budget budget = {0};
    struct err err = {0};
    fuzz_split(slice_of((const char *)data, size), &text, &log);
    if (budget_read(&budget, text, "budget", SLICE("fuzz"), &err) == 0) {
        fuzz_run_read(&run, log, SLICE("fuzz"));
        fuzz_run_read(&base, slice_from(base_log), SLICE("base"));
        judge(&budget, &run.footprint, NULL);
        judge(&budget, &run.footprint, &base.footprint);
        judge(&budget, &base.footprint, &run.footprint);
        fuzz_run_release(&run);
        fuzz_run_release(&base);
    } else if (!err.text[0]) {
        abort();
    }
    budget_release(&budget);
    return 0;
}
