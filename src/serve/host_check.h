/* SPDX-License-Identifier: Apache-2.0 */
/* Is this Host header one that the server's own reader would send? Other names mean that another site's page is asking (DNS
 * rebinding). */
#ifndef TTMEM_SERVE_HOST_CHECK_H
#define TTMEM_SERVE_HOST_CHECK_H

#include <stdbool.h>

/* `address`: where the server listens. A server on loopback takes localhost and loopback addresses; another one any numeric
 * address and the machine's own name as well. `host` may be NULL. */
bool host_allowed(const char *host, const char *address);

#endif
