/* SPDX-License-Identifier: Apache-2.0 */
/* What ranks are called that are known by several tags: a pod, a job, a rank. */
#ifndef TTMEM_MODEL_RANKS_TAG_NAMES_H
#define TTMEM_MODEL_RANKS_TAG_NAMES_H

#include "base/table/strtab.h"

/* Each name, with PREFIX_OUTER_END between its tags, becomes the shortest part that tells all apart: the last tag, the first,
 * or all of them with spaces between. 0 is a rank without a tag and stays. */
void tag_names_choose(struct strtab *strings, uint32_t *names, size_t count);

#endif
