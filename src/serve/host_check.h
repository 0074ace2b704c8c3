/* SPDX-License-Identifier: Apache-2.0 */
/* Would the server's own reader send this Host header? Other names mean that another site's page is asking (DNS rebinding). */
#ifndef TTMEM_SERVE_HOST_CHECK_H
#define TTMEM_SERVE_HOST_CHECK_H

#include <stdbool.h>

/* `address`: where the server listens. A server on loopback accepts localhost and loopback addresses; any other one also
 * accepts numeric addresses and the machine's own name. `host` may be NULL. */
bool host_allowed(const char *host, const char *address);

#endif
