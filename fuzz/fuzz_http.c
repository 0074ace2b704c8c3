/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes sent to the server, which shows one report and what devices hold now. It answers or hangs up; "====" between
 * requests is a pause in which what came before arrives. */
#include <arpa/inet.h>
#include <poll.h>
#include <stdint.h>
#include <sys/socket.h>

#include "json_mutator.h"
#include "scratch.h"
#include "serve/server.h"
#include "base/slice.h"

static unsigned port;

static void begin(void) {
    char path[128], address[128];
    struct err err = {0};
    scratch_make();
    snprintf(path, sizeof path, "%s/model_memory.json", scratch_folder);
    FILE *file = fopen(path, "wb");
    if (file) fputs("{\"operations\":[]}", file), fclose(file);
    struct server_options options = {.folder = scratch_folder, .scope = CATALOG_ONE, .address = "127.0.0.1", .live = true};
    struct server *server = server_start(&options, &err);
    if (!server) abort();
    server_address(server, address, sizeof address);
    port = (unsigned)atoi(strrchr(address, ':') + 1);
}

static void drain(int fd, int wait_ms) {
    char room[4096];
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    for (size_t taken = 0; taken < 1 << 20 && poll(&ready, 1, wait_ms) > 0;) {
        ssize_t n = recv(fd, room, sizeof room, 0);
        if (n <= 0) return;
        taken += (size_t)n;
    }
}

/* Ports and descriptors of a loaded machine run short for a moment: only a server that stays away is gone. */
static int reach(void) {
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (unsigned tries = 0; tries < 1000; tries++) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0) return fd;
        if (fd >= 0) close(fd);
        poll(NULL, 0, 10);
    }
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!port) begin();
    int fd = reach();
    struct slice bytes = slice_of((const char *)data, size);
    while (bytes.len) {
        struct slice part = slice_take(bytes, slice_find(bytes, SLICE("====")));
        if (part.len && send(fd, part.ptr, part.len, MSG_NOSIGNAL) < 0) break;
        bytes = part.len == bytes.len ? SLICE("") : slice_skip(bytes, part.len + 4);
        if (bytes.len) drain(fd, 1);
    }
    shutdown(fd, SHUT_WR);
    drain(fd, 20);
    close(fd);
    return 0;
}
