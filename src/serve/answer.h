/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of the server: files of reports, streamed, compressed if the reader accepts that. */
#ifndef TTMEM_SERVE_ANSWER_H
#define TTMEM_SERVE_ANSWER_H

#include "serve/catalog.h"
#include "serve/mhd.h"

/* Headers of every answer. */
void answer_headers(struct MHD_Response *response, const char *mime);

/* A file of a report. A missing page is made from the JSON files. */
enum MHD_Result answer_file(struct MHD_Connection *connection, const struct catalog_entry *entry, enum report_file file);

/* A short text with a status. */
enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned status, const char *text);

#endif
