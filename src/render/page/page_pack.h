/* SPDX-License-Identifier: Apache-2.0 */
/* A page as a file: the template of web/ with the packed data, each section one gzip member in base64. Packed in pieces by
 * several threads and written as it comes, so memory stays small. */
#ifndef TTMEM_RENDER_PAGE_PACK_H
#define TTMEM_RENDER_PAGE_PACK_H

#include "base/outfile.h"
#include "render/page/page_data.h"

/* The same with another template and one section that is text. */
int page_write_text(struct slice page_template, struct slice title, const char *section, struct slice text,
                    struct outfile *file, struct err *err);

int page_write(struct page_data *page, struct slice title, struct outfile *file, struct err *err);

#endif
