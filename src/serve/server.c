/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "serve/answer.h"
#include "serve/diff_answer.h"
#include "serve/host_check.h"
#include "serve/index_page.h"
#include "serve/live_feed.h"
#include "serve/mcp_http.h"
#include "serve/metrics.h"
#include "serve/trends_page.h"

enum {
    THREADS = 4,
    MOST_CONNECTIONS = 1024,
    CLIENTS_AT_LEAST = 2,       /* no client has more than this part of all connections */
    DESCRIPTORS_EACH = 2,       /* of a connection: its own, and the file that it sends */
    DESCRIPTORS_OF_SERVER = 40, /* threads, reading of folders and devices */
    TIMEOUT_SECONDS = 60,
    BACKLOG = 64,
    ADDRESS_ROOM = 64,
    LIVE_MS = 500
};

struct server {
    struct MHD_Daemon *daemon;
    char *folder;
    enum catalog_scope scope;
    char address[ADDRESS_ROOM];
    bool v6;
    int port;
    struct live_feed *live;        /* NULL: not requested */
    struct serve_metrics *metrics; /* likewise */
    const struct mcp_offer *mcp;
};

/* A page made for this request; takes over its text. `policy` is what it may do; NULL: the page says so itself. */
static enum MHD_Result answer_page(struct MHD_Connection *connection, struct strbuf *text, const char *policy) {
    struct MHD_Response *response = mhd.create_response_from_buffer(text->len, text->data, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        strbuf_release(text);
        return MHD_NO;
    }
    answer_headers(response, "text/html; charset=utf-8");
    if (policy) mhd.add_response_header(response, "Content-Security-Policy", policy);
    enum MHD_Result rc = mhd.queue_response(connection, MHD_HTTP_OK, response);
    mhd.destroy_response(response);
    return rc;
}

static enum MHD_Result answer_index(struct MHD_Connection *connection, const struct catalog *catalog,
                                    const struct server *server) {
    struct strbuf text = {0};
    index_page(&text, catalog, server->folder);
    return answer_page(connection, &text, NULL);
}

static enum MHD_Result answer_diff(struct MHD_Connection *connection, const struct catalog *catalog) {
    struct strbuf text = {0};
    struct err problem = {0};
    if (diff_answer(&text, catalog, connection, &problem)) return answer_page(connection, &text, NULL);
    strbuf_release(&text);
    strbuf_addf(&text, "%s\n", problem.text);
    enum MHD_Result rc = answer_text(connection, MHD_HTTP_NOT_FOUND, strbuf_text(&text));
    strbuf_release(&text);
    return rc;
}

static enum MHD_Result answer_trends(struct MHD_Connection *connection, const struct catalog *catalog) {
    struct strbuf text = {0};
    trends_page(&text, catalog);
    return answer_page(connection, &text, NULL);
}

/* The state of a request without a body. */
static int begun;

static void on_end(void *context, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode why) {
    (void)context;
    (void)connection;
    (void)why;
    if (*state && *state != &begun) mcp_post_free(*state);
    *state = NULL;
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **state) {
    const struct server *server = context;
    bool mcp = server->mcp && strcmp(url, MCP_HTTP_PATH) == 0;
    (void)version;
    /* the first call brings the headers only; a body is read only for /mcp */
    if (!*state) {
        *state = mcp ? (void *)mcp_post_new() : &begun;
        return MHD_YES;
    }
    if (*upload_size) {
        if (*state != &begun) mcp_post_add(*state, slice_of(upload, *upload_size));
        *upload_size = 0;
        return MHD_YES;
    }
    if (!host_allowed(mhd.lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST), server->address))
        return answer_text(connection, MHD_HTTP_MISDIRECTED_REQUEST, "this server answers to its own address only\n");
    if (mcp)
        return strcmp(method, "POST") == 0 ? mcp_http_answer(server->mcp, connection, *state) : mcp_http_refuse(connection);
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
    if (server->metrics && strcmp(url, METRICS_PATH) == 0) return serve_metrics_answer(server->metrics, connection);
    if (server->live && strcmp(url, "/live") == 0) return live_page_answer(connection);
    if (server->live && strcmp(url, "/live/events") == 0) return live_feed_answer(server->live, connection);
    struct catalog catalog;
    enum report_file file;
    catalog_read(&catalog, server->folder, server->scope);
    const struct catalog_entry *entry = catalog_find(&catalog, url, &file);
    enum MHD_Result rc = strcmp(url, "/") == 0         ? answer_index(connection, &catalog, server)
                         : strcmp(url, DIFF_PATH) == 0 ? answer_diff(connection, &catalog)
                         : strcmp(url, "/trends") == 0 ? answer_trends(connection, &catalog)
                         : entry                       ? answer_file(connection, entry, file)
                                                       : answer_text(connection, MHD_HTTP_NOT_FOUND, "not found\n");
    catalog_release(&catalog);
    return rc;
}

/* A name with a NUL inside stays as it is, so that it matches nothing. */
static size_t unescape(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strstr(text, "%00") ? strlen(text) : mhd.http_unescape(text);
}

static int open_socket(struct server *server, int port, struct err *err) {
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } where;
    memset(&where, 0, sizeof where);
    socklen_t size = server->v6 ? sizeof where.six : sizeof where.four;
    where.any.sa_family = server->v6 ? AF_INET6 : AF_INET;
    if (server->v6) {
        where.six.sin6_port = htons((uint16_t)port);
        inet_pton(AF_INET6, server->address, &where.six.sin6_addr);
    } else {
        where.four.sin_port = htons((uint16_t)port);
        inet_pton(AF_INET, server->address, &where.four.sin_addr);
    }
    int fd = socket(where.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (fd < 0) return err_set_errno(err, ERR_INPUT, "cannot open a socket");
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, &where.any, size) != 0 || listen(fd, BACKLOG) != 0 || getsockname(fd, &where.any, &size) != 0) {
        err_set_errno(err, ERR_INPUT, "cannot listen on %s port %d", server->address, port);
        close(fd);
        return -1;
    }
    server->port = ntohs(server->v6 ? where.six.sin6_port : where.four.sin_port);
    return fd;
}

static int first_free(struct server *server, struct err *err) {
    for (int port = SERVE_FIRST_PORT; port <= SERVE_LAST_PORT; port++) {
        int fd = open_socket(server, port, err);
        if (fd >= 0 || errno != EADDRINUSE) return fd;
    }
    return err_set(err, ERR_INPUT, "no port from %d to %d is free on %s", SERVE_FIRST_PORT, SERVE_LAST_PORT, server->address);
}

static int read_address(struct server *server, const char *text, struct err *err) {
    struct in6_addr room;
    server->v6 = inet_pton(AF_INET6, text, &room) == 1;
    if (!server->v6 && inet_pton(AF_INET, text, &room) != 1)
        return err_set(err, ERR_USAGE, "--bind takes a numeric address such as 127.0.0.1, 0.0.0.0 or ::1, not '%.100s'", text);
    snprintf(server->address, sizeof server->address, "%s", text);
    return 0;
}

/* Connections that the limit of descriptors, raised as far as it goes, leaves room for. If they were all taken, nobody could
 * connect until one ends. */
static unsigned connections_possible(void) {
    struct rlimit limit;
    const rlim_t wanted = DESCRIPTORS_EACH * MOST_CONNECTIONS + DESCRIPTORS_OF_SERVER;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return MOST_CONNECTIONS;
    if (limit.rlim_cur < wanted) {
        limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
        if (setrlimit(RLIMIT_NOFILE, &limit) != 0) getrlimit(RLIMIT_NOFILE, &limit);
    }
    if (limit.rlim_cur >= wanted) return MOST_CONNECTIONS;
    const unsigned least = CLIENTS_AT_LEAST * THREADS; /* each thread has its part of them */
    rlim_t left = limit.rlim_cur > DESCRIPTORS_OF_SERVER ? limit.rlim_cur - DESCRIPTORS_OF_SERVER : 0;
    return left / DESCRIPTORS_EACH > least ? (unsigned)(left / DESCRIPTORS_EACH) : least;
}

struct server *server_start(const struct server_options *options, struct err *err) {
    if (mhd_load(err) != 0) return NULL;
    const unsigned connections = connections_possible();
    struct server *server = mem_zalloc(1, sizeof *server);
    server->folder = mem_strdup(options->folder);
    server->scope = options->scope;
    server->mcp = options->mcp;
    int fd = read_address(server, options->address, err);
    if (fd == 0) fd = options->port < 0 ? first_free(server, err) : open_socket(server, options->port, err);
    if (fd < 0) {
        server_stop(server);
        return NULL;
    }
    if (options->live && !options->metrics_only) server->live = live_feed_new(NULL, options->live_chip, LIVE_MS);
    if (options->live) server->metrics = serve_metrics_new(options->live_chip, options->no_process_labels);
    server->daemon = mhd.start_daemon(MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
                                      answer, server, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_THREAD_POOL_SIZE,
                                      (unsigned)THREADS, MHD_OPTION_CONNECTION_LIMIT, connections,
                                      MHD_OPTION_PER_IP_CONNECTION_LIMIT, connections / CLIENTS_AT_LEAST,
                                      MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT_SECONDS, MHD_OPTION_UNESCAPE_CALLBACK,
                                      unescape, NULL, MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL, MHD_OPTION_END);
    if (server->daemon) return server;
    err_set(err, ERR_INPUT, "cannot start the server on port %d", server->port);
    close(fd);
    server_stop(server);
    return NULL;
}

void server_address(const struct server *server, char *out, unsigned long room) {
    bool local = strcmp(server->address, "127.0.0.1") == 0;
    if (local) snprintf(out, room, "http://localhost:%d", server->port);
    else snprintf(out, room, server->v6 ? "http://[%s]:%d" : "http://%s:%d", server->address, server->port);
}

void server_stop(struct server *server) {
    if (server->live) live_feed_end(server->live);
    if (server->daemon) mhd.stop_daemon(server->daemon);
    if (server->live) live_feed_free(server->live);
    if (server->metrics) serve_metrics_free(server->metrics);
    free(server->folder);
    free(server);
}
