/* SPDX-License-Identifier: Apache-2.0 */
/* Names the files of one run as ranks, by what differs in their paths.
 *
 *     out/1/rank.0/stdout, out/1/rank.1/run.log         -> 0, 1: a path that says rank is believed
 *     slurm-71_0.out, slurm-71_1.out                    -> 0, 1
 *     host1/log_rank0.txt, host2/log_rank0.txt          -> host1, host2
 *     host1/rank.0.log, host1/rank.1.log, host2/rank.0.log -> host1,0 host1,1 host2,0
 *
 * If several numbers distinguish the files, the smallest are ranks and not processes. */
#ifndef TTMEM_INPUT_RANK_NAMES_H
#define TTMEM_INPUT_RANK_NAMES_H

#include "base/strbuf.h"

/* Appends to `names`, which has room for `count` texts. Equal paths get equal names, others do not. */
void rank_names(const char *const *paths, size_t count, struct strbuf *names);

/* Does a path name a rank as the others do: different in numbers, or, where they differ from each other, in a folder or in
 * the last letter of a name? */
bool rank_path_is_like(const char *path, const char *const *known, size_t count);

/* The hosts that the paths name, if all do: host0/rank.0.log, train-71-node01-0.log (Slurm's %x-%j-%N-%t). Appends nothing
 * otherwise. */
void rank_hosts(const char *const *paths, size_t count, struct strbuf *hosts);

/* Compares paths with numbers as numbers: rank.2 before rank.10. */
int rank_path_order(const char *a, const char *b);

#endif
