/* SPDX-License-Identifier: Apache-2.0 */
/* Skips balanced brackets and strings at the speed of memory: op lines are mostly types and attributes. */
#ifndef TTMEM_SCAN_GROUP_H
#define TTMEM_SCAN_GROUP_H

enum group_class { GROUP_PLAIN, GROUP_OPEN, GROUP_CLOSE, GROUP_QUOTE };

/* What a character means: ( [ { < open, ) ] } > close, a double quote begins or ends a string. */
extern const unsigned char group_classes[256];

static inline enum group_class group_class_at(const char *p) { return (enum group_class)group_classes[(unsigned char)*p]; }

/* `p` is at an opening bracket or a quote. Returns the position after its partner, or NULL if the text ends before. Brackets
 * are counted without regard to their kind; the '>' of "->" closes nothing. */
const char *group_skip(const char *p, const char *end);

#endif
