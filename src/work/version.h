#ifndef TTMEM_WORK_VERSION_H
#define TTMEM_WORK_VERSION_H

/* "0.1.0" */
const char *version_number(void);

#endif
