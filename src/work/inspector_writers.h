/* SPDX-License-Identifier: Apache-2.0 */
/* Who writes an Inspector folder: the processes that have one of its files open, with their resident memory. */
#ifndef TTMEM_WORK_INSPECTOR_WRITERS_H
#define TTMEM_WORK_INSPECTOR_WRITERS_H

#include "model/host_record.h"

/* A record of this moment, at `step`; NULL if no process has a file open, or none that this user may inspect. Freed by
 * host_record_release and free. */
struct host_record *inspector_writers(const char *folder, uint32_t step);

#endif
