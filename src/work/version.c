/* SPDX-License-Identifier: Apache-2.0 */
#include "work/version.h"

const char *version_number(void) { return TTMEM_VERSION; }
