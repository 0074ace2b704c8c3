/* SPDX-License-Identifier: Apache-2.0 */
/* A small HTTP server that shows reports: reads only, known paths only, GET and HEAD only (POST for /mcp), checks the Host
 * header. */
#ifndef TTMEM_SERVE_SERVER_H
#define TTMEM_SERVE_SERVER_H

#include <stdbool.h>

#include "base/err.h"
#include "device/chip.h"
#include "mcp/offer.h"
#include "serve/catalog.h"

enum { SERVE_FIRST_PORT = 8000, SERVE_LAST_PORT = 8099 };

struct server_options {
    const char *folder; /* of reports, or of one */
    enum catalog_scope scope;
    const char *address; /* numeric, IPv4 or IPv6 */
    int port;            /* -1: the first free one from 8000; 0: any */
    bool live;           /* also /live: the current memory of devices, and /metrics. On an address other than this machine's: */
    bool metrics_only;   /* only the latter */
    bool no_process_labels; /* in /metrics */
    const struct chip *live_chip;
    const struct mcp_offer *mcp; /* also /mcp: the tools for agents; NULL: no */
};

struct server;

/* Starts answering on its own threads. NULL with the error filled: ERR_USAGE for a bad address, ERR_INPUT if no port is
 * free. */
struct server *server_start(const struct server_options *options, struct err *err);
void server_stop(struct server *server);

/* "http://localhost:8000", "http://[::1]:8000". */
void server_address(const struct server *server, char *out, unsigned long room);

#endif
