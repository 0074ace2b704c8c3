/* SPDX-License-Identifier: Apache-2.0 */
/* One core's L1 per op, for its section of the page: the tightest ops, and the cores of their programs. */
#ifndef TTMEM_RENDER_PAGE_L1_H
#define TTMEM_RENDER_PAGE_L1_H

#include "base/json_write.h"
#include "model/run.h"

/* Member "l1" (web/DATA.md); nothing if no address in L1 is known. An op is identified by its step, in a capture by its
 * node. */
void page_l1(struct json *j, const struct run *run, bool by_node);

#endif
