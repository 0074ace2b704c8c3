/* Whether the files of a report are whole, and of one run. A page of files that do not belong together would show figures that
 * no run had. */
#ifndef TTMEM_STORE_REPORT_CHECK_H
#define TTMEM_STORE_REPORT_CHECK_H

#include "store/report_reading.h"

/* ERR_INPUT naming the file that is cut off, not JSON, or holds something else than it should. A file that the page can do
 * without gives a note instead. */
int check_files(struct reading *r, struct err *err);

/* Is the element of operations.json the operation of the record? ERR_INPUT when it is another. */
int check_pair(const struct reading *r, uint64_t index, struct json_value record, struct json_value op, struct err *err);

/* Do the weights of an operation stand in the registry where it says? */
int check_weights(const struct reading *r, uint64_t index, struct json_value op, struct err *err);

/* Notes a module file in which none of the operations stands, and a summary of another run. */
void check_modules(struct reading *r);
void check_summary(struct reading *r);

#endif
