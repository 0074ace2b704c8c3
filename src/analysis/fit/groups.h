/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of tensors that change their element type together: weights by their names without layer numbers, const-eval
 * results and activations by the op that makes them. */
#ifndef TTMEM_ANALYSIS_FIT_GROUPS_H
#define TTMEM_ANALYSIS_FIT_GROUPS_H

#include "analysis/fit/fit.h"

enum fit_element_of { ELEMENT_OF_WEIGHTS, ELEMENT_OF_CONST_EVALS, ELEMENT_OF_ACTIVATIONS };

struct fit_element_row {
    enum fit_element_of what;
    const char *from, *to; /* element types; from NULL: any larger one */
    const char *words;     /* the part of a name before the group: "bfp8 weights " */
    const char *setting;
};

extern const struct fit_element_row fit_element_rows[];

/* "layers.0.mlp.weight" and "layers.12.mlp.weight" are "layers.*.mlp.weight". */
size_t fit_name_pattern(struct slice name, char *out, size_t room);
uint64_t fit_name_key(struct slice name);

/* Lists the groups that hold most where it matters, if there are several; `number` of a change is the row, `group` the key. */
void fit_list_groups(struct fit *fit, const struct fit_kind *kind);

#endif
