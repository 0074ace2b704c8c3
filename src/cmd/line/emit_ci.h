/* SPDX-License-Identifier: Apache-2.0 */
/* What commands give to CI systems beside their answer. */
#ifndef TTMEM_CMD_EMIT_CI_H
#define TTMEM_CMD_EMIT_CI_H

#include "cmd/line/emit.h"
#include "render/ci/findings.h"

#define OPTIONS_FINDINGS(what)                                                                        \
    {"sarif", 0, OPTION_TEXT, "FILE", "also write " what " as SARIF 2.1.0, for code scanning"}, {     \
        "codequality", 0, OPTION_TEXT, "FILE", "also write " what " for GitLab's code quality report" \
    }

/* Writes the files of --sarif and --codequality, if given. `fallback`: the file for a finding that has none. */
int emit_findings(const struct invocation *inv, const struct ci_findings *findings, struct slice fallback, struct err *err);

/* Appends to the summary of a GitHub step, if there is one ($GITHUB_STEP_SUMMARY). */
int emit_step_summary(struct slice text, struct err *err);

#endif
