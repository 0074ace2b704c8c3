/* The files of a report -> the footprint of its run. Lifetimes are estimated (see report_read.h), so what is never freed is not
 * known and is not told. */
#ifndef TTMEM_STORE_REPORT_FOOTPRINT_H
#define TTMEM_STORE_REPORT_FOOTPRINT_H

#include "analysis/compare/footprint.h"
#include "store/report_files.h"

/* Fills `out`; to be released in any case. */
int report_footprint(struct footprint *out, const struct report_files *files, struct err *err);

#endif
