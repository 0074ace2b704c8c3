/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TTMEM_WORK_VERSION_H
#define TTMEM_WORK_VERSION_H

/* As `project` in CMakeLists.txt has it. */
const char *version_number(void);

#endif
