/* The recording of host memory beside a log. */
#ifndef TTMEM_WORK_LOAD_HOST_H
#define TTMEM_WORK_LOAD_HOST_H

#include "work/load.h"

/* Reads "<name>_host.jsonl" beside "<name>_profile.log" (or "<name>.log"), if it is there, into the run. What is wrong with it
 * is said on stderr; the log counts without it. */
void load_host(struct loaded *loaded, const struct work *work);

#endif
