/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/answer.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/outfile.h"
#include "work/make_report.h"

enum { BLOCK = 64 << 10, PACK_ABOVE = 1024, PACK_LEVEL = 1 };

void answer_headers(struct MHD_Response *response, const char *mime) {
    static const char *const headers[][2] = {
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"X-Frame-Options", "DENY"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache"},
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        mhd.add_response_header(response, headers[i][0], headers[i][1]);
    mhd.add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, mime);
    /* a page carries its own policy */
    if (strncmp(mime, "text/html", 9) != 0) mhd.add_response_header(response, "Content-Security-Policy", "default-src 'none'");
}

enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned status, const char *text) {
    struct MHD_Response *response =
        mhd.create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
    if (!response) return MHD_NO;
    answer_headers(response, "text/plain; charset=utf-8");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED) mhd.add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    enum MHD_Result rc = mhd.queue_response(connection, status, response);
    mhd.destroy_response(response);
    return rc;
}

/* A file that is compressed while it is sent. */
struct packed_file {
    int fd;
    z_stream z;
    bool ended;
    unsigned char in[BLOCK];
};

static ssize_t packed_read(void *context, uint64_t position, char *out, size_t room) {
    (void)position;
    struct packed_file *file = context;
    file->z.next_out = (unsigned char *)out;
    file->z.avail_out = (unsigned)(room < INT_MAX ? room : INT_MAX);
    size_t asked = file->z.avail_out;
    while (!file->ended && file->z.avail_out == asked) {
        ssize_t n = 0;
        if (!file->z.avail_in) {
            n = read(file->fd, file->in, sizeof file->in);
            if (n < 0) return MHD_CONTENT_READER_END_WITH_ERROR;
            file->z.next_in = file->in;
            file->z.avail_in = (unsigned)n;
        }
        file->ended = deflate(&file->z, file->z.avail_in ? Z_NO_FLUSH : Z_FINISH) == Z_STREAM_END;
    }
    size_t made = asked - file->z.avail_out;
    return made ? (ssize_t)made : MHD_CONTENT_READER_END_OF_STREAM;
}

static void packed_free(void *context) {
    struct packed_file *file = context;
    deflateEnd(&file->z);
    close(file->fd);
    free(file);
}

/* Takes over the descriptor. */
static struct MHD_Response *packed_response(int fd) {
    struct packed_file *file = calloc(1, sizeof *file);
    if (!file || deflateInit2(&file->z, PACK_LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(file);
        close(fd);
        return NULL;
    }
    file->fd = fd;
    struct MHD_Response *response = mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, packed_read, file, packed_free);
    if (!response) packed_free(file);
    else mhd.add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
    return response;
}

/* The word gzip among the codings, not refused with q=0. */
static bool takes_gzip(struct MHD_Connection *connection) {
    const char *header = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT_ENCODING);
    const char *word = header ? strstr(header, "gzip") : NULL;
    if (!word) return false;
    word += strcspn(word, ",;");
    if (*word != ';') return true;
    word += 1 + strspn(word + 1, " ");
    return !(strncmp(word, "q=0", 3) == 0 && strspn(word + 3, ".0") == strcspn(word + 3, ","));
}

/* Is the tag among those that the reader has? A weak comparison: a leading W/ does not matter. */
static bool has_tag(const char *header, const char *tag) {
    if (!header) return false;
    return strcmp(header, "*") == 0 || strstr(header, tag) != NULL;
}

static enum MHD_Result answer_descriptor(struct MHD_Connection *connection, int fd, const char *mime) {
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(fd);
        return answer_text(connection, MHD_HTTP_NOT_FOUND, "not found\n");
    }
    bool gzip = info.st_size > PACK_ABOVE && takes_gzip(connection);
    char tag[96];
    snprintf(tag, sizeof tag, "\"%llx-%llx-%lx%s\"", (unsigned long long)info.st_size, (unsigned long long)info.st_mtim.tv_sec,
             (unsigned long)info.st_mtim.tv_nsec, gzip ? "-gzip" : "");
    const char *known = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_NONE_MATCH);
    bool same = has_tag(known, tag);
    struct MHD_Response *response;
    if (same) {
        close(fd);
        response = mhd.create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    } else if (gzip) response = packed_response(fd);
    else if (info.st_size == 0) {
        close(fd);
        response = mhd.create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    } else {
        response = mhd.create_response_from_fd64((uint64_t)info.st_size, fd);
        if (!response) close(fd);
    }
    if (!response) return MHD_NO;
    answer_headers(response, mime);
    /* whatever the page's own policy says: it may contact only this server */
    if (strncmp(mime, "text/html", 9) == 0)
        mhd.add_response_header(response, "Content-Security-Policy",
                                "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
                                "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    mhd.add_response_header(response, MHD_HTTP_HEADER_ETAG, tag);
    mhd.add_response_header(response, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT_ENCODING);
    enum MHD_Result rc = mhd.queue_response(connection, same ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, response);
    mhd.destroy_response(response);
    return rc;
}

/* One page is made at a time, because it takes memory. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

/* An open file without a name that contains the page of a report; -1 if it cannot be made. */
static int page_of_report(const struct catalog_entry *entry, struct err *err) {
    char path[PATH_MAX];
    const char *folder = getenv("TMPDIR");
    struct input in;
    struct strbuf report = {0};
    strbuf_addf(&report, "%s/%s%s", entry->folder, entry->name, report_suffixes[FILE_MEMORY]);
    int rc = input_open(&in, strbuf_text(&report), &(struct input_options){0}, err);
    strbuf_release(&report);
    if (rc != 0) return -1;
    snprintf(path, sizeof path, "%s/ttmem-page-XXXXXX", folder && folder[0] ? folder : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) err_set_errno(err, ERR_OUTPUT, "cannot write '%s'", path);
    else unlink(path);
    if (fd >= 0) {
        struct outfile file = {.path = path, .fd = fd};
        if (make_page(&in, &file, err) != 0 || lseek(fd, 0, SEEK_SET) != 0) {
            close(fd);
            fd = -1;
        }
    }
    input_release(&in);
    return fd;
}

enum MHD_Result answer_file(struct MHD_Connection *connection, const struct catalog_entry *entry, enum report_file file) {
    char path[PATH_MAX];
    struct err err = {0};
    int n = snprintf(path, sizeof path, "%s/%s%s", entry->folder, entry->name, report_suffixes[file]);
    if (n < 0 || (size_t)n >= sizeof path) return answer_text(connection, MHD_HTTP_NOT_FOUND, "not found\n");
    int fd = -1;
    if (entry->have[file]) fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    else if (file == FILE_PAGE && !catalog_has_link(entry)) {
        pthread_mutex_lock(&making);
        fd = page_of_report(entry, &err);
        pthread_mutex_unlock(&making);
        if (fd < 0) return answer_text(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, err.text);
    }
    if (fd < 0) return answer_text(connection, MHD_HTTP_NOT_FOUND, "not found\n");
    return answer_descriptor(connection, fd, catalog_kinds[file].mime);
}
