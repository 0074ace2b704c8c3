/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of sources for code scanning (SARIF) and GitLab's code quality. */
#ifndef TTMEM_RENDER_CB_SARIF_H
#define TTMEM_RENDER_CB_SARIF_H

#include "base/arena.h"
#include "base/vec.h"
#include "cb/study/cb_compare.h"
#include "render/ci/findings.h"

struct cb_ci_findings {
    struct arena arena;
    VEC(struct ci_finding) items;
    struct ci_findings findings;
};

/* Texts live with the files or in the arena. */
void cb_findings_make(struct cb_ci_findings *all, struct cb_files files);
void cb_findings_release(struct cb_ci_findings *all);

#endif
