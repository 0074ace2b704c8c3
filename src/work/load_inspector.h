/* A folder of tt-metal's Inspector as a run. */
#ifndef TTMEM_WORK_LOAD_INSPECTOR_H
#define TTMEM_WORK_LOAD_INSPECTOR_H

#include "work/load.h"

bool load_is_inspector(const char *path);

/* Fills the run and what stands for its source; says on stderr what is odd about the files. */
int load_inspector(struct loaded *loaded, const struct work *work, const char *path, struct err *err);

#endif
