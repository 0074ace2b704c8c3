/* SPDX-License-Identifier: Apache-2.0 */
/* What the buffers of a program are for, judged by what its kernels do with them. */
#ifndef TTMEM_ANALYSIS_CB_ROLES_H
#define TTMEM_ANALYSIS_CB_ROLES_H

#include "cb/study/cb_scan.h"
#include "cb/study/cb_sim.h"

/* The operand that stays while a kernel iterates over another: a kernel that takes both pops it in fewer loops, or never.
 * -1: the kernels do not tell. */
int64_t cb_reused_index(const struct cb_file *file, uint32_t program);

/* Sets the roles of a program's buffers, given the reused operand. */
void cb_roles_set(struct cb_strategy_sizes *sizes, const struct cb_file *file, uint32_t program, int64_t reused);

#endif
