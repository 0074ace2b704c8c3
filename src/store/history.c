/* SPDX-License-Identifier: Apache-2.0 */
#include "store/history.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/outfile.h"
#include "store/months.h"
#include "store/report.h"

static bool is_postgres(const char *address) {
    return strncmp(address, "postgresql://", 13) == 0 || strncmp(address, "postgres://", 11) == 0;
}

/* What libpq takes for the port of "host:port", the first of several hosts; NULL: there is none. */
static const char *port_of(const char *host) {
    size_t end = strcspn(host, "/?,");
    const char *colon = host[0] == '[' ? NULL : memchr(host, ':', end);
    return colon ? colon + 1 : NULL;
}

static bool is_port(const char *text) {
    const char *after = text + strspn(text, "0123456789");
    return !*after || strchr("/?,", *after);
}

/* The password of user:password@host, as written; a /, @ or ? in it belongs to it, even if it should have been written as
 * %2F. */
static struct slice secret_of(const char *address) {
    const char *user = strstr(address, "://") + 3, *end = user + strcspn(user, "?"),
               *at = memrchr(user, '@', (size_t)(end - user)), *port = port_of(user);
    if (!at && port && !is_port(port)) at = strrchr(user, '@'); /* after a ? that is no beginning of parameters */
    const char *colon = at ? memchr(user, ':', (size_t)(at - user)) : NULL;
    return colon ? slice_between(colon + 1, at) : slice_of("", 0);
}

/* libpq would split such an address at another place and print parts of the password. */
static int check_secret(const char *address, struct err *err) {
    struct slice secret = secret_of(address);
    for (size_t i = 0; i < secret.len; i++)
        if (strchr("/@?", secret.ptr[i]))
            return err_set(err, ERR_USAGE,
                           "the password in the address of the history holds /, @ or ?: write them as %%2F, %%40 and %%3F");
    const char *port = secret.len ? NULL : port_of(strstr(address, "://") + 3);
    if (!port || is_port(port)) return 0;
    return err_set(err, ERR_USAGE,
                   "the port in the address of the history is not a number; a password stands before @: user:password@host");
}

/* Addresses of other databases, and libpq's own "host=... dbname=..." form, are not files; they may contain a password, so
 * they are not repeated. */
static int refuse_other(const char *address, struct err *err) {
    static const char *const keywords[] = {"host=", "hostaddr=", "dbname=", "user=", "password=", "service="};
    if (!address) return 0;
    const char *file = strncmp(address, "sqlite:", 7) == 0 ? address + 7 : address;
    if (strcmp(file, ":memory:") == 0 || strncmp(file, "file:", 5) == 0)
        return err_set(err, ERR_USAGE, "%s is not a file: a history has to outlive the program", file);
    if (is_postgres(address)) return check_secret(address, err);
    if (file != address) return 0;
    bool other = strstr(address, "://") || strncmp(address, "postgresql:", 11) == 0 || strncmp(address, "postgres:", 9) == 0;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        const char *found = strstr(address, keywords[i]);
        if (found && (found == address || found[-1] == ' ')) other = true;
    }
    if (!other) return 0;
    return err_set(err, ERR_USAGE, "the address of the history is neither a file nor postgresql://user@host/database");
}

/* user:password@ before the host, or password= among the parameters. */
int history_check_address(const char *address, struct err *err) {
    if (refuse_other(address, err) != 0) return -1;
    if (!address || !is_postgres(address)) return 0;
    bool told =
        secret_of(address).len || strstr(address, "password=") || strstr(address, "password%3") || strstr(address, "PASSWORD=");
    if (!told) return 0;
    return err_set(err, ERR_USAGE,
                   "a password on the command line can be read by others: put the address into TTMEM_STORE, or the password "
                   "into ~/.pgpass or a service file");
}

/* The path of the file; in `path`, or `address` itself. */
static int file_of(const char *address, struct strbuf *path, struct err *err) {
    if (address && address[0]) {
        strbuf_addz(path, strncmp(address, "sqlite:", 7) == 0 ? address + 7 : address);
        return 0;
    }
    if (ttmem_home(path, err) != 0) return -1;
    strbuf_addz(path, "/history.db");
    return 0;
}

bool history_exists(const char *address) {
    if (address && is_postgres(address)) return true;
    struct strbuf path = {0};
    struct err ignored;
    struct stat info;
    bool there = file_of(address, &path, &ignored) == 0 && stat(strbuf_text(&path), &info) == 0;
    strbuf_release(&path);
    return there;
}

static int make_parent(const char *path, struct err *err) {
    char *copy = mem_strdup(path);
    int rc = make_folders(dirname(copy), err);
    free(copy);
    return rc;
}

static struct store *open_file(const char *address, bool write, struct err *err) {
    struct strbuf path = {0};
    struct store *store = NULL;
    struct stat info;
    if (file_of(address, &path, err) == 0) {
        const char *text = strbuf_text(&path);
        if (!write && stat(text, &info) != 0)
            err_set(err, ERR_INPUT, "there is no history at %s yet: ttmem history add RUN creates one", text);
        else if (stat(text, &info) == 0 && S_ISDIR(info.st_mode))
            err_set(err, ERR_INPUT, "%s is a folder, not a history", text);
        else if (!write || make_parent(text, err) == 0) store = store_sqlite.open(text, write, err);
    }
    strbuf_release(&path);
    return store;
}

static int check_version(struct store *store, bool write, struct err *err) {
    int64_t newest = store->ops->newest_schema;
    if (store->ops->version(store, &store->version, err) != 0) return -1;
    if (store->version > newest)
        return err_set(err, ERR_INPUT, "%s was written by a newer ttmem (schema %lld, this one knows %lld): update ttmem",
                       store->name, (long long)store->version, (long long)newest);
    if (store->version < newest && write) return history_migrate(store, newest, err);
    return store->version
               ? 0
               : err_set(err, ERR_INPUT, "there is no history at %s yet: ttmem history add RUN creates one", store->name);
}

/* A schema whose tables are partitioned. */
enum { MONTHS_SCHEMA = 6 };

struct store *history_open(const char *address, bool write, struct err *err) {
    if (refuse_other(address, err) != 0) return NULL;
    struct store *store =
        address && is_postgres(address) ? store_postgres.open(address, write, err) : open_file(address, write, err);
    if (!store) return NULL;
    int rc = check_version(store, write, err);
    if (rc == 0 && store->version >= MONTHS_SCHEMA) rc = months_load(store, err);
    if (rc == 0) return store;
    history_close(store);
    return NULL;
}

void history_close(struct store *store) {
    if (!store) return;
    months_free(store->months);
    store->ops->close(store);
}

void history_id_text(int64_t id, char *out) { snprintf(out, HISTORY_ID_DIGITS + 1, "%015llx", (unsigned long long)id); }
