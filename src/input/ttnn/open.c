/* SPDX-License-Identifier: Apache-2.0 */
#include "input/ttnn/open.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/strbuf.h"

enum { WRITE_VERSION = 18, READ_VERSION = 19, ROLLBACK_JOURNAL = 1, WAIT_MS = 1000 };
enum { SQLITE_MOST = 0x7ffffeff }; /* bytes that sqlite3_malloc64 allocates at once */

static int failed(sqlite3 *handle, const char *path, struct err *err) {
    return err_set(err, ERR_INPUT, "%s cannot be read as a database: %s", path, sqlite3_errmsg(handle));
}

/* SQLite reads the bytes in place. It refuses a database in WAL mode without its -wal file, so a copy is marked as not in
 * that mode. */
static int open_bytes(sqlite3 **out, struct slice bytes, const char *path, struct err *err) {
    unsigned char *own = NULL;
    unsigned flags = SQLITE_DESERIALIZE_READONLY;
    if (sqlite3_open_v2(":memory:", out, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return failed(*out, path, err);
    if (bytes.len > READ_VERSION && bytes.ptr[READ_VERSION] > ROLLBACK_JOURNAL) {
        if (bytes.len > SQLITE_MOST)
            return err_set(err, ERR_INPUT,
                           "%s is in WAL mode and too large for a copy in memory: change it with sqlite3 FILE 'PRAGMA "
                           "journal_mode=DELETE'",
                           path);
        own = sqlite3_malloc64(bytes.len);
        if (!own) {
            sqlite3_close(*out);
            mem_exhausted();
        } else {
            memcpy(own, bytes.ptr, bytes.len);
            own[WRITE_VERSION] = own[READ_VERSION] = ROLLBACK_JOURNAL;
        }
        flags |= SQLITE_DESERIALIZE_FREEONCLOSE;
    }
    unsigned char *data = own ? own : (unsigned char *)(uintptr_t)bytes.ptr;
    if (sqlite3_deserialize(*out, "main", data, (sqlite3_int64)bytes.len, (sqlite3_int64)bytes.len, flags) != SQLITE_OK)
        return failed(*out, path, err);
    sqlite3_exec(*out, "PRAGMA writable_schema=ON", NULL, NULL, NULL);
    return 0;
}

static bool has_beside(const char *path, const char *ending) {
    struct strbuf name = {0};
    struct stat st;
    strbuf_addf(&name, "%s%s", path, ending);
    bool there = stat(strbuf_text(&name), &st) == 0 && st.st_size > 0;
    strbuf_release(&name);
    return there;
}

/* Are the bytes the unchanged content of that file? */
static bool is_file(struct slice bytes, const char *path) {
    struct stat st;
    char head[32];
    FILE *file = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rbe") : NULL;
    bool same = file && fread(head, 1, sizeof head, file) == sizeof head && bytes.len >= sizeof head &&
                memcmp(head, bytes.ptr, 16) == 0;
    if (file) fclose(file);
    return same;
}

/* "file:..." with special characters written as %xx. */
static void add_uri(struct strbuf *out, const char *path) {
    strbuf_addz(out, "file:");
    for (const char *c = path; *c; c++) {
        if (strchr("%?#", *c)) strbuf_addf(out, "%%%02x", (unsigned char)*c);
        else strbuf_addc(out, *c);
    }
    strbuf_addz(out, "?mode=ro");
}

/* Begins one transaction, so that all tables show the same moment. */
static int begin(sqlite3 *handle) {
    sqlite3_busy_timeout(handle, WAIT_MS);
    /* without this a cut file is refused as a whole; nothing is written */
    sqlite3_exec(handle, "PRAGMA writable_schema=ON", NULL, NULL, NULL);
    int rc = sqlite3_exec(handle, "BEGIN", NULL, NULL, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_exec(handle, "SELECT 1 FROM sqlite_master LIMIT 1", NULL, NULL, NULL);
    return rc;
}

static int open_file(sqlite3 **out, const char *path, bool *usable, struct err *err) {
    struct strbuf uri = {0};
    add_uri(&uri, path);
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    int rc = sqlite3_open_v2(strbuf_text(&uri), out, flags, NULL);
    if (rc == SQLITE_OK) rc = begin(*out);
    strbuf_release(&uri);
    *usable = rc == SQLITE_OK;
    if (rc == SQLITE_BUSY || rc == SQLITE_LOCKED)
        return err_set(err, ERR_INPUT, "%s is locked: another process is writing it; try again when that is done", path);
    return 0;
}

int ttnn_open(sqlite3 **out, struct slice bytes, const char *path, bool *older, struct err *err) {
    bool usable = false, file = is_file(bytes, path);
    *out = NULL;
    *older = false;
    int rc = file ? open_file(out, path, &usable, err) : 0;
    if (rc == 0 && usable) return 0;
    int code = *out ? sqlite3_extended_errcode(*out) : SQLITE_OK;
    sqlite3_close(*out);
    *out = NULL;
    if (rc != 0) return -1;
    if (file && (code == SQLITE_READONLY_ROLLBACK || (code & 0xff) == SQLITE_READONLY) && has_beside(path, "-journal"))
        return err_set(err, ERR_INPUT,
                       "%s was left in the middle of being written (%s-journal is beside it): open it once with sqlite3, "
                       "which rolls that back",
                       path, path);
    *older = file && has_beside(path, "-wal");
    if (open_bytes(out, bytes, path, err) == 0) return 0;
    sqlite3_close(*out);
    *out = NULL;
    return -1;
}
