/* SPDX-License-Identifier: Apache-2.0 */
/* Names of ranks that have several tags: a pod, a job, a rank. */
#ifndef TTMEM_MODEL_RANKS_TAG_NAMES_H
#define TTMEM_MODEL_RANKS_TAG_NAMES_H

#include "base/table/strtab.h"

/* Shortens each name, with PREFIX_OUTER_END between its tags, to the shortest part that distinguishes all: the last tag, the
 * first, or all of them separated by spaces. 0 is a rank without a tag and stays. */
void tag_names_choose(struct strtab *strings, uint32_t *names, size_t count);

#endif
