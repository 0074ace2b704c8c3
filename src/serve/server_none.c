/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces server.c and its parts in a build without the server. */
#include "base/dynlib.h"
#include "serve/server.h"

struct server *server_start(const struct server_options *options, struct err *err) {
    (void)options;
    dynlib_left_out("serving pages", "TTMEM_SERVE", ERR_INPUT, err);
    return NULL;
}

void server_stop(struct server *server) { (void)server; }

void server_address(const struct server *server, char *out, unsigned long room) {
    (void)server;
    if (room) out[0] = '\0';
}
