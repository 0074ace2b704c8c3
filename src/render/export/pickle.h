/* SPDX-License-Identifier: Apache-2.0 */
/* Python's pickle, protocol 4, the part that PyTorch's memory viewer reads: dictionaries, lists, texts, integers, and
 * references to earlier objects. The caller keeps the order: a container, its items, then the call that puts them in. */
#ifndef TTMEM_RENDER_PICKLE_H
#define TTMEM_RENDER_PICKLE_H

#include "base/strbuf.h"

struct pickle {
    struct strbuf *out;
    uint32_t kept; /* number of objects that can be referred to */
};

void pickle_begin(struct pickle *p);
void pickle_end(struct pickle *p);

void pickle_dict(struct pickle *p);   /* an empty one */
void pickle_list(struct pickle *p);   /* an empty one */
void pickle_items(struct pickle *p);  /* keys and values follow, up to pickle_set */
void pickle_set(struct pickle *p);    /* puts them into the dictionary before pickle_items */
void pickle_append(struct pickle *p); /* puts the last object into the list before it */

void pickle_text(struct pickle *p, struct slice text); /* bad UTF-8 becomes U+FFFD */
void pickle_integer(struct pickle *p, int64_t n);

/* The last object can be written again by the returned number. */
uint32_t pickle_keep(struct pickle *p);
void pickle_again(struct pickle *p, uint32_t number);

#endif
