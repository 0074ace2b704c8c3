/* SPDX-License-Identifier: Apache-2.0 */
/* libmicrohttpd, loaded when a server starts. */
#ifndef TTMEM_SERVE_MHD_H
#define TTMEM_SERVE_MHD_H

#include <microhttpd.h>

#include "base/dynlib.h"

/* clang-format off */
#define MHD_FUNCTIONS(F) \
    F(MHD_, add_response_header) F(MHD_, create_response_from_buffer) F(MHD_, create_response_from_callback) \
    F(MHD_, create_response_from_fd64) F(MHD_, destroy_response) F(MHD_, http_unescape) F(MHD_, lookup_connection_value) \
    F(MHD_, queue_response) F(MHD_, resume_connection) F(MHD_, start_daemon) F(MHD_, stop_daemon) \
    F(MHD_, suspend_connection)
/* clang-format on */

struct mhd {
    MHD_FUNCTIONS(DYNLIB_MEMBER)
};
extern struct mhd mhd;

/* Call before anything else in this header is used. */
int mhd_load(struct err *err);

#endif
