/* The files of a report -> the data of a page, for reports whose log is not at hand. Reads records one at a time, so files of
 * hundreds of MB take little memory.
 *
 * The files tell less than the log: states in front of deallocates are known from the figures behind each op only, and
 * lifetimes are taken from the first and last op that names a value. The page says so. */
#ifndef TTMEM_STORE_REPORT_READ_H
#define TTMEM_STORE_REPORT_READ_H

#include "render/page/page_data.h"
#include "store/report_files.h"

/* Fills `page`; release it in any case. Keeps the text of modules in `keep`. ERR_INPUT when a file is cut off, not JSON, or of
 * another run than the others. What is wrong with a file that the page can do without is said in the page, and appended to
 * `notes`, a line each (NULL: only in the page). */
int report_read(struct page_data *page, const struct report_files *files, struct arena *keep, struct strbuf *notes,
                struct err *err);

#endif
