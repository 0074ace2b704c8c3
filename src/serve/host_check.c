/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/host_check.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { NAME_ROOM = 256 };

/* The name without port and brackets; false if it is malformed. */
static bool split_port(const char *host, char *name) {
    size_t len = strlen(host);
    if (!len || len >= NAME_ROOM) return false;
    const char *end = host + len, *begin = host, *port = NULL;
    if (*host == '[') {
        const char *close = strchr(host, ']');
        if (!close) return false;
        begin = host + 1;
        end = close;
        if (close[1] == ':') port = close + 2;
        else if (close[1]) return false;
    } else {
        const char *colon = strchr(host, ':');
        if (colon) {
            end = colon;
            port = colon + 1;
        }
    }
    if (port && (!*port || strspn(port, "0123456789") != strlen(port))) return false;
    memcpy(name, begin, (size_t)(end - begin));
    name[end - begin] = 0;
    return name[0] != 0;
}

static bool is_loopback(const char *name) {
    struct in_addr four;
    struct in6_addr six;
    if (inet_pton(AF_INET, name, &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, name, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

static bool is_numeric(const char *name) {
    struct in6_addr room;
    return inet_pton(AF_INET, name, &room) == 1 || inet_pton(AF_INET6, name, &room) == 1;
}

/* The machine's name, with or without its domain. */
static bool is_own_name(const char *name) {
    char own[NAME_ROOM];
    if (gethostname(own, sizeof own) != 0) return false;
    own[sizeof own - 1] = 0;
    size_t len = strcspn(own, ".");
    return strncasecmp(name, own, len) == 0 && (!name[len] || name[len] == '.');
}

bool host_allowed(const char *host, const char *address) {
    char name[NAME_ROOM];
    if (!host || !split_port(host, name)) return false;
    if (strcasecmp(name, "localhost") == 0 || is_loopback(name)) return true;
    return !is_loopback(address) && (is_numeric(name) || is_own_name(name));
}
