/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that ttmem fills page by page are what SQLite reads, finds by rowid and calls whole. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "render/export/sqlite_pages.h"
#include "testing.h"

enum { ROWS = 20000, LONGEST = 5000 };

static char path[] = "/tmp/ttmem-pages-XXXXXX";

static sqlite3 *opened(void) {
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    return db;
}

static int64_t asked(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return n;
}

static int make(void **state) {
    (void)state;
    int fd = mkstemp(path);
    close(fd);
    sqlite3 *db = opened();
    assert_int_equal(sqlite3_exec(db,
                                  "PRAGMA page_size=512; CREATE TABLE first(id INTEGER PRIMARY KEY, n INTEGER, r REAL, t TEXT);"
                                  "CREATE TABLE empty(n INTEGER); CREATE TABLE last(n INTEGER, t TEXT)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    return sqlite3_close(db);
}

static int unmake(void **state) {
    (void)state;
    return unlink(path);
}

static uint32_t root_of(const char *table) {
    char sql[100];
    sqlite3 *db = opened();
    snprintf(sql, sizeof sql, "SELECT rootpage FROM sqlite_schema WHERE name = '%s'", table);
    int64_t root = asked(db, sql);
    sqlite3_close(db);
    return (uint32_t)root;
}

/* Both signs and every size of an integer that the format knows. */
static int64_t number_at(int64_t row) {
    int64_t n = (int64_t)((uint64_t)row * 2654435761u % 1000003) << (row % 44);
    return row % 2 ? -n : n;
}

static void fill(void) {
    struct sqlite_pages pages;
    struct err err = {0};
    char *text = malloc(LONGEST);
    memset(text, 'x', LONGEST);
    uint32_t roots[] = {root_of("first"), root_of("empty"), root_of("last")};
    assert_int_equal(sqlite_pages_open(&pages, path, path, &err), 0);
    sqlite_pages_table(&pages, roots[0]);
    for (int64_t row = 0; row < ROWS; row++) {
        /* most texts are short, each 50th is longer than a page holds */
        size_t length = (size_t)(row % 50 ? row % 30 : row % LONGEST);
        const struct sqlite_cell cells[] = {{.kind = SQLITE_CELL_NULL},
                                            {.kind = SQLITE_CELL_INTEGER, .integer = number_at(row)},
                                            {.kind = SQLITE_CELL_REAL, .real = (double)(row - 100) / 8},
                                            {.kind = SQLITE_CELL_TEXT, .text = slice_of(text, length)}};
        assert_int_equal(sqlite_pages_row(&pages, row * 3, cells, 4, &err), 0);
    }
    assert_int_equal(sqlite_pages_table_end(&pages, &err), 0);
    sqlite_pages_table(&pages, roots[1]);
    assert_int_equal(sqlite_pages_table_end(&pages, &err), 0);
    sqlite_pages_table(&pages, roots[2]);
    const struct sqlite_cell one[] = {{.kind = SQLITE_CELL_INTEGER, .integer = INT64_MIN},
                                      {.kind = SQLITE_CELL_TEXT, .text = SLICE("end")}};
    assert_int_equal(sqlite_pages_row(&pages, 1, one, 2, &err), 0);
    assert_int_equal(sqlite_pages_table_end(&pages, &err), 0);
    assert_int_equal(sqlite_pages_finish(&pages, &err), 0);
    sqlite_pages_release(&pages);
    free(text);
}

static void test_sqlite_reads_the_rows(void **state) {
    (void)state;
    fill();
    sqlite3 *db = opened();
    assert_int_equal(asked(db, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    assert_int_equal(asked(db, "SELECT count(*) FROM first"), ROWS);
    assert_int_equal(asked(db, "SELECT count(*) FROM empty"), 0);
    assert_int_equal(asked(db, "SELECT n FROM last WHERE t = 'end'"), INT64_MIN);
    assert_int_equal(asked(db,
                           "SELECT count(*) FROM first WHERE typeof(n) <> 'integer' OR typeof(r) <> 'real' OR "
                           "r <> (id / 3 - 100) / 8.0 OR trim(t, 'x') <> ''"),
                     0);
    for (int64_t row = 0; row < ROWS; row += 7) {
        char sql[100];
        snprintf(sql, sizeof sql, "SELECT n FROM first WHERE id = %lld", (long long)row * 3);
        assert_int_equal(asked(db, sql), number_at(row));
        snprintf(sql, sizeof sql, "SELECT length(t) FROM first WHERE id = %lld", (long long)row * 3);
        assert_int_equal(asked(db, sql), row % 50 ? row % 30 : row % LONGEST);
    }
    /* and goes on writing */
    assert_int_equal(sqlite3_exec(db, "INSERT INTO first VALUES(1, 2, 3, 'x'); DELETE FROM first WHERE id % 2 = 0; VACUUM",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(asked(db, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    sqlite3_close(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_sqlite_reads_the_rows, make, unmake)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
