/* SPDX-License-Identifier: Apache-2.0 */
/* The number of tokens of a text for the common tokenizers (o200k_base, cl100k_base), without their vocabularies: an upper
 * estimate. For reports, tokenizers give 83 to 92 % of it; artificial names come closest. */
#ifndef TTMEM_RENDER_TOKENS_H
#define TTMEM_RENDER_TOKENS_H

#include <stdint.h>

#include "base/slice.h"

uint64_t tokens_of(struct slice text);

#endif
