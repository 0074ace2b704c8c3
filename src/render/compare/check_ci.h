/* SPDX-License-Identifier: Apache-2.0 */
/* The result of ttmem check for CI systems. */
#ifndef TTMEM_RENDER_CHECK_CI_H
#define TTMEM_RENDER_CHECK_CI_H

#include "base/arena.h"
#include "base/vec.h"
#include "render/ci/findings.h"
#include "render/compare/budget.h"

/* The location of the op, tensor or leak that explains a judgement, as written in the log; or empty. */
struct slice judgement_location(const struct judgement *j, const struct footprint *f);

void check_junit(struct strbuf *out, const struct check_report *report);
/* Annotations, worst first: GitHub shows ten per step. */
void check_github(struct strbuf *out, const struct check_report *report);
/* For the summary of a step: the rules, and the largest tensors alive at the peak. */
void check_markdown(struct strbuf *out, const struct check_report *report);

enum { CHECK_BREACH, CHECK_NOT_JUDGED };

struct check_findings {
    struct arena arena;
    VEC(struct ci_finding) items;
    struct ci_findings findings;
};

/* The rules that do not hold. */
void check_findings_make(struct check_findings *all, const struct check_report *report);
void check_findings_release(struct check_findings *all);

#endif
