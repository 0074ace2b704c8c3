/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled as C11, C17 and C++17: the header stands alone. */
#include "ttmem/ttmem.h"

int header_compiles(void);
int header_compiles(void) { return (int)sizeof(ttmem_fit_result); }
