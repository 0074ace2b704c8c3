/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <endian.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dynlib.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/strbuf.h"
#include "store/store_ops.h"
#include "store/store_waits.h"

/* clang-format off */
#define PQ_FUNCTIONS(F) \
    F(PQ, clear) F(PQ, cmdStatus) F(PQ, cmdTuples) F(PQ, connectdbParams) F(PQ, conninfoFree) F(PQ, conninfoParse) \
    F(PQ, consumeInput) F(PQ, errorMessage) F(PQ, finish) F(PQ, ftype) F(PQ, getResult) F(PQ, getisnull) \
    F(PQ, getlength) F(PQ, getvalue) F(PQ, isBusy) F(PQ, nfields) F(PQ, ntuples) F(PQ, putCopyData) F(PQ, putCopyEnd) \
    F(PQ, resultErrorField) F(PQ, resultStatus) F(PQ, sendQuery) F(PQ, sendQueryParams) F(PQ, setNoticeProcessor) \
    F(PQ, socket) F(PQ, status)
/* clang-format on */

static struct { PQ_FUNCTIONS(DYNLIB_MEMBER) } pq;
static const char *const pq_names[] = {PQ_FUNCTIONS(DYNLIB_NAME)};
static struct dynlib libpq = DYNLIB("a history in PostgreSQL", TTMEM_LIBPQ_FILE, pq_names, pq);

enum { COPY_BLOCK = 1 << 18, SCHEMA_LOCK = 0x74746d6d };

struct postgres_store {
    struct store base;
    PGconn *connection;
    bool connected; /* once: it may be gone since */
    char *password; /* NULL: none in the URL */
    char state[6];  /* of the last failure */
    struct store_waits waits;
    bool told; /* that the server lets it wait */
};

static const char lock_not_available[] = "55P03";

static PGconn *connection_of(struct store *store) { return ((struct postgres_store *)store)->connection; }

static void keep_state(struct store *store, const PGresult *result) {
    struct postgres_store *s = (struct postgres_store *)store;
    const char *state = pq.resultErrorField(result, PG_DIAG_SQLSTATE);
    snprintf(s->state, sizeof s->state, "%s", state ? state : "");
}

static int fail(struct store *store, const char *text, struct err *err);

/* What the server or the connection says of a result. */
static int fail_of(struct store *store, const PGresult *result, struct err *err) {
    keep_state(store, result);
    return fail(store, pq.errorMessage(connection_of(store)), err);
}

/* The server's words in one line, without the password in case they repeat it. */
static int fail(struct store *store, const char *text, struct err *err) {
    struct postgres_store *s = (struct postgres_store *)store;
    struct strbuf out = {0};
    size_t secret = s->password ? strlen(s->password) : 0;
    for (const char *p = text; *p && out.len < 700; p++) {
        if (secret && strncmp(p, s->password, secret) == 0) {
            strbuf_addz(&out, "***");
            p += secret - 1;
        } else {
            strbuf_addc(&out, *p == '\n' || *p == '\t' ? ' ' : *p);
        }
    }
    while (out.len && out.data[out.len - 1] == ' ') out.len--;
    if (strcmp(s->state, lock_not_available) == 0) {
        strbuf_release(&out);
        return err_set(err, ERR_OUTPUT, "%s has been locked by another session for more than %d s; nothing was changed",
                       store->name, store_wait_seconds());
    }
    bool lost = s->connected && pq.status(s->connection) != CONNECTION_OK;
    err_set(err, ERR_OUTPUT, "%s%s: %s%s", s->connected ? "" : "cannot connect to ", store->name, strbuf_text(&out),
            lost ? "; the connection is gone, nothing was changed" : "");
    strbuf_release(&out);
    return -1;
}

/* The last result of what was sent, or that which asks for rows; whoever waits longer than a second for it is told why. */
static PGresult *result_of(struct store *store, int sent) {
    enum { PATIENCE_MS = 1000 };
    struct postgres_store *s = (struct postgres_store *)store;
    PGresult *last = NULL, *next;
    while (sent && pq.isBusy(s->connection)) {
        struct pollfd answer = {.fd = pq.socket(s->connection), .events = POLLIN};
        bool waits = s->waits.tell && !s->told;
        if (poll(&answer, 1, waits ? PATIENCE_MS : -1) == 0) {
            s->told = true;
            s->waits.tell(s->waits.context, store->name, store_wait_seconds(), false);
        }
        if (!pq.consumeInput(s->connection)) break;
    }
    while (sent && (next = pq.getResult(s->connection))) {
        pq.clear(last);
        last = next;
        if (pq.resultStatus(last) == PGRES_COPY_IN) break;
    }
    return last;
}

static PGresult *run_plain(struct store *store, const char *sql) {
    return result_of(store, pq.sendQuery(connection_of(store), sql));
}

/* Values are sent as text: the server converts them to the type of their place. Results are binary: a long series is mostly
 * numbers, which neither side has to spell out. */
static PGresult *send_query(struct store *store, const char *sql, const struct store_value *values, size_t count) {
    struct strbuf text = {0};
    size_t *offsets = mem_alloc(sizeof *offsets * (count + 1));
    const char **pointers = mem_alloc(sizeof *pointers * (count + 1));
    for (size_t i = 0; i < count; i++) {
        char number[NUM_ROOM];
        offsets[i] = text.len;
        if (values[i].kind == STORE_INT) strbuf_add(&text, slice_of(number, num_write_i64(number, values[i].number)));
        else if (values[i].kind == STORE_TEXT) strbuf_add(&text, values[i].text);
        strbuf_addc(&text, '\0');
    }
    for (size_t i = 0; i < count; i++) pointers[i] = values[i].kind == STORE_NULL ? NULL : text.data + offsets[i];
    int sent = pq.sendQueryParams(connection_of(store), sql, (int)count, NULL, pointers, NULL, NULL, 1);
    PGresult *result = result_of(store, sent);
    strbuf_release(&text);
    free(offsets);
    free(pointers);
    return result;
}

/* A number of two, four or eight bytes, most significant first. */
static int64_t number_of(const char *bytes, int length) {
    uint64_t n = length && (unsigned char)bytes[0] >= 128 ? UINT64_MAX : 0;
    for (int i = 0; i < length; i++) n = n << 8 | (unsigned char)bytes[i];
    return (int64_t)n;
}

static void give_rows(const PGresult *result, store_row_fn *row, void *who) {
    int columns = pq.nfields(result), rows = pq.ntuples(result);
    struct store_value *cells = mem_alloc(sizeof *cells * (size_t)(columns + 1));
    bool more = true;
    for (int i = 0; i < rows && more; i++) {
        for (int c = 0; c < columns; c++) {
            const char *text = pq.getvalue(result, i, c);
            Oid type = pq.ftype(result, c);
            bool number = type == 20 || type == 23 || type == 21; /* int8, int4, int2 */
            if (pq.getisnull(result, i, c)) cells[c] = (struct store_value){.kind = STORE_NULL};
            else if (number) cells[c] = STORE_I(number_of(text, pq.getlength(result, i, c)));
            else cells[c] = STORE_T(slice_of(text, (size_t)pq.getlength(result, i, c)));
        }
        more = row(who, cells);
    }
    free(cells);
}

static const char *postgres_state(struct store *store) {
    return pq.status(connection_of(store)) == CONNECTION_OK ? ((struct postgres_store *)store)->state : NULL;
}

static int postgres_run(struct store *store, const char *sql, const struct store_value *values, size_t count, store_row_fn *row,
                        void *who, int64_t *changed, struct err *err) {
    PGresult *result = send_query(store, sql, values, count);
    ExecStatusType status = pq.resultStatus(result);
    int rc = 0;
    if (status == PGRES_TUPLES_OK && row) give_rows(result, row, who);
    else if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        rc = fail_of(store, result, err);
    }
    if (changed) *changed = strtoll(pq.cmdTuples(result), NULL, 10);
    pq.clear(result);
    return rc;
}

static void put_u32(struct strbuf *out, uint32_t n) {
    n = htonl(n);
    strbuf_add(out, slice_of((const char *)&n, sizeof n));
}

/* A value of COPY's binary format: its length, then its bytes; -1 for NULL. */
static void put_value(struct strbuf *out, const struct store_value *value) {
    if (value->kind == STORE_INT) {
        uint64_t n = htobe64((uint64_t)value->number);
        put_u32(out, 8);
        strbuf_add(out, slice_of((const char *)&n, sizeof n));
    } else if (value->kind == STORE_TEXT) {
        put_u32(out, (uint32_t)value->text.len);
        strbuf_add(out, value->text);
    } else {
        put_u32(out, UINT32_MAX);
    }
}

static int send_rows(struct store *store, size_t columns, store_next_fn *next, void *who) {
    struct strbuf block = {0};
    struct store_value *row = mem_zalloc(columns, sizeof *row);
    uint16_t width = htons((uint16_t)columns), end = UINT16_MAX;
    strbuf_add(&block, slice_of("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19));
    int good = 1;
    while (good == 1 && next(who, row)) {
        strbuf_add(&block, slice_of((const char *)&width, sizeof width));
        for (size_t i = 0; i < columns; i++) put_value(&block, &row[i]);
        if (block.len < COPY_BLOCK) continue;
        good = pq.putCopyData(connection_of(store), block.data, (int)block.len);
        strbuf_clear(&block);
    }
    strbuf_add(&block, slice_of((const char *)&end, sizeof end));
    if (good == 1) good = pq.putCopyData(connection_of(store), block.data, (int)block.len);
    strbuf_release(&block);
    free(row);
    return good == 1 && pq.putCopyEnd(connection_of(store), NULL) == 1 ? 0 : -1;
}

static int postgres_bulk(struct store *store, const char *table, const char *columns, size_t column_count, store_next_fn *next,
                         void *who, struct err *err) {
    struct strbuf sql = {0};
    strbuf_addf(&sql, "COPY %s (%s) FROM STDIN (FORMAT binary)", table, columns);
    PGconn *connection = connection_of(store);
    PGresult *result = run_plain(store, strbuf_text(&sql));
    strbuf_release(&sql);
    int rc = pq.resultStatus(result) == PGRES_COPY_IN ? send_rows(store, column_count, next, who) : -1;
    if (rc != 0) fail_of(store, result, err);
    pq.clear(result);
    while (pq.status(connection) == CONNECTION_OK && (result = pq.getResult(connection))) {
        if (pq.resultStatus(result) != PGRES_COMMAND_OK && rc == 0) rc = fail_of(store, result, err);
        pq.clear(result);
    }
    return rc == 0 && pq.status(connection) != CONNECTION_OK ? fail(store, pq.errorMessage(connection), err) : rc;
}

static int plain(struct store *store, const char *sql, struct err *err) {
    PGresult *result = run_plain(store, sql);
    int rc = pq.resultStatus(result) == PGRES_COMMAND_OK ? 0 : fail_of(store, result, err);
    pq.clear(result);
    return rc;
}

/* A reader sees one moment, however many statements it runs. */
static int postgres_begin(struct store *store, bool write, struct err *err) {
    return plain(store, write ? "BEGIN" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", err);
}

/* A transaction that has failed answers COMMIT with a rollback and no error. */
static int postgres_commit(struct store *store, struct err *err) {
    PGresult *result = run_plain(store, "COMMIT");
    int rc = 0;
    if (pq.resultStatus(result) != PGRES_COMMAND_OK) rc = fail_of(store, result, err);
    else if (strcmp(pq.cmdStatus(result), "COMMIT") != 0) rc = fail(store, "the transaction was rolled back", err);
    pq.clear(result);
    return rc;
}

static void postgres_rollback(struct store *store) { pq.clear(run_plain(store, "ROLLBACK")); }

static void postgres_close(struct store *store) {
    struct postgres_store *s = (struct postgres_store *)store;
    pq.finish(s->connection);
    free(s->password);
    free(store->name);
    free(store);
}

static const char *option_value(const PQconninfoOption *options, const char *keyword) {
    for (const PQconninfoOption *o = options; o && o->keyword; o++)
        if (strcmp(o->keyword, keyword) == 0 && o->val && o->val[0]) return o->val;
    return NULL;
}

/* "postgresql://host/database", whatever else the URL contains. */
static char *public_name(const PQconninfoOption *options) {
    struct strbuf name = {0};
    const char *host = option_value(options, "host"), *database = option_value(options, "dbname");
    strbuf_addf(&name, "postgresql://%s/%s", host ? host : "", database ? database : "");
    char *text = mem_strdup(strbuf_text(&name));
    strbuf_release(&name);
    return text;
}

static void quiet(void *unused, const char *message) {
    (void)unused;
    (void)message;
}

static struct store *postgres_open(const char *where, bool create, struct err *err) {
    (void)create;
    if (dynlib_load(&libpq, ERR_INPUT, err) != 0) return NULL;
    PQconninfoOption *options = pq.conninfoParse(where, NULL);
    if (!options) {
        err_set(err, ERR_USAGE, "the address of the history cannot be read; write postgresql://user@host/database");
        return NULL;
    }
    struct postgres_store *s = mem_zalloc(1, sizeof *s);
    const char *password = option_value(options, "password");
    s->base = (struct store){.ops = &store_postgres, .name = public_name(options)};
    s->password = password ? mem_strdup(password) : NULL;
    pq.conninfoFree(options);
    const char *const keys[] = {"dbname", "connect_timeout", "client_encoding", "fallback_application_name", NULL};
    const char *const values[] = {where, "10", "UTF8", "ttmem", NULL};
    s->connection = pq.connectdbParams(keys, values, 1);
    if (pq.status(s->connection) == CONNECTION_OK) {
        s->connected = true;
        pq.setNoticeProcessor(s->connection, quiet, NULL);
        s->waits = store_waits_here();
        /* as long as SQLite waits; a server that does not know the setting uses its own limit */
        char limit[64];
        snprintf(limit, sizeof limit, "SET lock_timeout = %d", 1000 * store_wait_seconds());
        postgres_run(&s->base, limit, NULL, 0, NULL, NULL, NULL, NULL);
        return &s->base;
    }
    fail(&s->base, pq.errorMessage(s->connection), err);
    if (err) err->code = ERR_INPUT;
    postgres_close(&s->base);
    return NULL;
}

static bool take_number(void *who, const struct store_value *row) {
    *(int64_t *)who = row[0].number;
    return true;
}

/* Asks the catalog itself: functions such as to_regclass answer from a cache that a transaction keeps. */
static int postgres_version(struct store *store, int64_t *version, struct err *err) {
    int64_t there = 0;
    *version = 0;
    if (postgres_run(store,
                     "SELECT count(*) FROM pg_catalog.pg_tables WHERE tablename = 'ttmem_schema' AND schemaname = ANY "
                     "(current_schemas(false))",
                     NULL, 0, take_number, &there, NULL, err) != 0)
        return -1;
    if (!there) return 0;
    return postgres_run(store, "SELECT max(version) FROM ttmem_schema", NULL, 0, take_number, version, NULL, err);
}

static int postgres_lock_schema(struct store *store, struct err *err) {
    struct store_value key = STORE_I(SCHEMA_LOCK);
    return postgres_run(store, "SELECT pg_advisory_xact_lock($1)", &key, 1, NULL, NULL, NULL, err);
}

const struct store_ops store_postgres = {
    .open = postgres_open,
    .close = postgres_close,
    .run = postgres_run,
    .bulk = postgres_bulk,
    .begin = postgres_begin,
    .commit = postgres_commit,
    .rollback = postgres_rollback,
    .version = postgres_version,
    .lock_schema = postgres_lock_schema,
    .state = postgres_state,
    .table_options = "",
    .newest_schema = 6,
};
