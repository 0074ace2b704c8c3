/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TTMEM_WORK_VERSION_H
#define TTMEM_WORK_VERSION_H

/* The `project` version of CMakeLists.txt. */
const char *version_number(void);

#endif
