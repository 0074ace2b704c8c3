/* SPDX-License-Identifier: Apache-2.0 */
/* Uses libttmem_run as a stranger would, linked with the library alone:
 *   consumer tables RUN             every table by columns and by Arrow, cell by cell
 *   consumer arrow RUN              what outlives what
 *   consumer errors RUN
 *   consumer memory RUN THREADS N   an allocation fails, at N places in turn
 *   consumer first RUN N            one of the first N allocations of a process fails */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ttmem/run.h>

#define CHECK(what)                                                                         \
    do {                                                                                    \
        if (!(what)) {                                                                      \
            fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #what, ttmem_run_last_error()); \
            _exit(1);                                                                       \
        }                                                                                   \
    } while (0)

/* --- malloc that fails when it is told to --- */

/* Under AddressSanitizer memory still comes from it, so that it sees every access. */
#if defined(__SANITIZE_ADDRESS__)
#define BELOW(name) __asm__("__interceptor_" name)
#else
#define BELOW(name) __asm__("__libc_" name)
#endif
void *below_malloc(size_t size) BELOW("malloc");
void *below_calloc(size_t count, size_t size) BELOW("calloc");
void *below_realloc(void *ptr, size_t size) BELOW("realloc");
void below_free(void *ptr) BELOW("free");

static atomic_llong until_failure = -1; /* negative: never */
static atomic_llong alive;              /* allocations of the whole process that were not freed */
static atomic_llong asked_for;          /* allocations so far */

static int fails(void) {
    atomic_fetch_add(&asked_for, 1);
    if (atomic_load(&until_failure) < 0) return 0;
    return atomic_fetch_sub(&until_failure, 1) == 0;
}

static void *counted(void *ptr) {
    if (ptr) atomic_fetch_add(&alive, 1);
    else errno = ENOMEM;
    return ptr;
}

void *malloc(size_t size) { return fails() ? (errno = ENOMEM, NULL) : counted(below_malloc(size)); }
void *calloc(size_t count, size_t size) { return fails() ? (errno = ENOMEM, NULL) : counted(below_calloc(count, size)); }
void *realloc(void *ptr, size_t size) {
    if (fails()) return errno = ENOMEM, NULL;
    void *moved = below_realloc(ptr, size);
    if (!ptr) counted(moved);
    return moved;
}
void free(void *ptr) {
    if (ptr) atomic_fetch_sub(&alive, 1);
    below_free(ptr);
}

/* --- tables --- */

static int valid(const uint8_t *bits, int64_t row) { return !bits || bits[row / 8] >> (row % 8) & 1; }

static void compare_column(const ttmem_column *column, const struct ArrowSchema *schema, const struct ArrowArray *array,
                           size_t row) {
    const uint8_t *bits = array->buffers[0];
    CHECK(valid(bits, (int64_t)row) == !!ttmem_column_valid(column, row));
    if (strcmp(schema->format, "l") == 0) {
        CHECK(column->type == TTMEM_INT64 && column->stride == 8 && array->n_buffers == 2);
        CHECK(((const int64_t *)array->buffers[1])[row] == ((const int64_t *)column->values)[row]);
        return;
    }
    CHECK(strcmp(schema->format, "U") == 0 && column->type == TTMEM_TEXT && array->n_buffers == 3);
    const int64_t *offsets = array->buffers[1];
    CHECK(offsets[row] <= offsets[row + 1] && offsets[row + 1] <= offsets[array->length]);
    CHECK(offsets[row] == column->offsets[row] && array->buffers[2] == column->values);
}

static void tables(const char *path) {
    ttmem_run *run;
    CHECK(ttmem_run_open(path, &run) == TTMEM_RUN_OK);
    for (size_t t = 0; ttmem_run_table_name(t); t++) {
        const char *name = ttmem_run_table_name(t);
        struct ArrowSchema schema;
        struct ArrowArray array;
        size_t rows, columns = 0;
        CHECK(ttmem_run_rows(run, name, &rows) == TTMEM_RUN_OK);
        while (ttmem_run_column_name(name, columns)) columns++;
        CHECK(ttmem_run_arrow(run, name, &schema, &array) == TTMEM_RUN_OK);
        CHECK(strcmp(schema.format, "+s") == 0 && array.n_buffers == 1 && array.buffers[0] == NULL && array.offset == 0);
        CHECK(array.length == (int64_t)rows && array.n_children == (int64_t)columns && schema.n_children == (int64_t)columns);
        for (size_t c = 0; c < columns; c++) {
            ttmem_column column;
            CHECK(ttmem_run_column(run, name, ttmem_run_column_name(name, c), &column) == TTMEM_RUN_OK);
            CHECK(strcmp(schema.children[c]->name, ttmem_run_column_name(name, c)) == 0);
            CHECK(schema.children[c]->flags & ARROW_FLAG_NULLABLE);
            CHECK(column.length == rows && array.children[c]->length == (int64_t)rows);
            CHECK(array.children[c]->null_count == (int64_t)column.nulls && !column.nulls == !column.validity);
            size_t nulls = 0;
            for (size_t i = 0; i < rows; i++) {
                compare_column(&column, schema.children[c], array.children[c], i);
                nulls += !ttmem_column_valid(&column, i);
            }
            CHECK(nulls == column.nulls);
        }
        printf("%s %zu\n", name, rows);
        array.release(&array);
        schema.release(&schema);
        CHECK(!array.release && !schema.release);
    }
    ttmem_run_close(run);
}

/* An array outlives its run; a child that was moved out outlives its parent; released twice is never done. */
static void arrow(const char *path) {
    ttmem_run *run;
    struct ArrowSchema schema;
    struct ArrowArray array, moved;
    CHECK(ttmem_run_open(path, &run) == TTMEM_RUN_OK);
    CHECK(ttmem_run_arrow(run, "blocks", &schema, &array) == TTMEM_RUN_OK);
    ttmem_run_close(run);
    int64_t last = 0, at = -1;
    for (int64_t c = 0; c < schema.n_children; c++)
        if (strcmp(schema.children[c]->name, "dram_allocated_bytes_per_bank") == 0) at = c;
    CHECK(at >= 0);
    schema.release(&schema);
    moved = *array.children[at];
    array.children[at]->release = NULL;
    array.release(&array);
    for (int64_t i = 0; i < moved.length; i++) {
        int64_t bytes = ((const int64_t *)moved.buffers[1])[i];
        last = bytes > last ? bytes : last;
    }
    moved.release(&moved);
    printf("%" PRId64 "\n", last);
}

static void errors(const char *path) {
    ttmem_run *run = (ttmem_run *)1;
    ttmem_column column;
    size_t count;
    const uint32_t *tensors;
    const char *text;
    struct ArrowSchema schema;
    struct ArrowArray array;
    CHECK(ttmem_run_open("no such file", &run) == TTMEM_RUN_INPUT && !run && strstr(ttmem_run_last_error(), "no such file"));
    CHECK(ttmem_run_open("/dev/null", &run) != TTMEM_RUN_OK && !run);
    CHECK(ttmem_run_open("-", &run) == TTMEM_RUN_BAD_ARGUMENT);
    CHECK(ttmem_run_open(NULL, &run) == TTMEM_RUN_BAD_ARGUMENT && ttmem_run_open(path, NULL) == TTMEM_RUN_BAD_ARGUMENT);
    CHECK(ttmem_run_open_all(NULL, 3, &run) == TTMEM_RUN_BAD_ARGUMENT &&
          ttmem_run_open_all(&path, 0, &run) == TTMEM_RUN_BAD_ARGUMENT);
    ttmem_run_close(NULL);
    CHECK(ttmem_run_rows(NULL, "ops", &count) == TTMEM_RUN_BAD_ARGUMENT && strcmp(ttmem_run_name(NULL), "") == 0);
    CHECK(ttmem_run_summary(NULL, &text, &count) == TTMEM_RUN_BAD_ARGUMENT);
    CHECK(ttmem_run_open(path, &run) == TTMEM_RUN_OK);
    CHECK(ttmem_run_column(run, "ops", "nothing", &column) == TTMEM_RUN_BAD_ARGUMENT &&
          strstr(ttmem_run_last_error(), "nothing"));
    CHECK(ttmem_run_column(run, "nothing", "name", &column) == TTMEM_RUN_BAD_ARGUMENT);
    CHECK(ttmem_run_column(run, NULL, "name", &column) == TTMEM_RUN_BAD_ARGUMENT);
    CHECK(ttmem_run_rows(run, "nothing", &count) == TTMEM_RUN_BAD_ARGUMENT);
    CHECK(ttmem_run_alive(run, "dirt", -1, &tensors, &count) == TTMEM_RUN_BAD_ARGUMENT);
    CHECK(ttmem_run_alive(run, "dram", -5, &tensors, &count) == TTMEM_RUN_BAD_ARGUMENT);
    CHECK(ttmem_run_alive(run, "dram", 1 << 30, &tensors, &count) == TTMEM_RUN_BAD_ARGUMENT);
    CHECK(ttmem_run_arrow(run, "nothing", &schema, &array) == TTMEM_RUN_BAD_ARGUMENT && !schema.release && !array.release);
    CHECK(!ttmem_run_table_name(99) && !ttmem_run_column_name("ops", 99) && !ttmem_run_column_name("nothing", 0));
    CHECK(ttmem_run_summary(run, &text, &count) == TTMEM_RUN_OK && strlen(text) == count && text[0] == '{');
    ttmem_run_close(run);
}

/* --- without memory --- */

static ttmem_run_status use(const char *path) {
    ttmem_run *run;
    ttmem_column column;
    size_t count;
    const uint32_t *tensors;
    const char *text;
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};
    ttmem_run_status status = ttmem_run_open(path, &run);
    if (status != TTMEM_RUN_OK) return status;
    status = ttmem_run_summary(run, &text, &count);
    if (status == TTMEM_RUN_OK) status = ttmem_run_column(run, "ops", "name", &column);
    if (status == TTMEM_RUN_OK) status = ttmem_run_alive(run, "dram", -1, &tensors, &count);
    if (status == TTMEM_RUN_OK) status = ttmem_run_arrow(run, "tensors", &schema, &array);
    ttmem_run_status after = status == TTMEM_RUN_OK ? status : ttmem_run_rows(run, "ops", &count);
    CHECK(status != TTMEM_RUN_NO_MEMORY || after == TTMEM_RUN_NO_MEMORY); /* it can only be closed */
    ttmem_run_close(run);
    if (schema.release) schema.release(&schema);
    if (array.release) array.release(&array);
    return status;
}

static long open_files(void) {
    long count = 0;
    for (int fd = 0; fd < 256; fd++) count += lseek(fd, 0, SEEK_CUR) >= 0 || errno != EBADF;
    return count;
}

/* Where memory ends at every place, one after another; nothing may be left behind, and nothing may end the process. */
/* The same for the first call of a process, in which libraries prepare themselves. */
static void first(const char *path, long long places) {
    long long ended = 0;
    for (long long n = 0; n < places; n++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (!child) {
            atomic_store(&until_failure, n);
            ttmem_run_status status = use(path);
            _exit(status == TTMEM_RUN_NO_MEMORY ? 2 : status == TTMEM_RUN_OK ? 0 : 1);
        }
        int how;
        CHECK(waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) != 1);
        ended += WEXITSTATUS(how) == 2;
    }
    CHECK(ended > 10);
    printf("survived\n");
}

static void memory(const char *path, long long places) {
    CHECK(use(path) == TTMEM_RUN_OK);
    long long began = atomic_load(&asked_for);
    CHECK(use(path) == TTMEM_RUN_OK);
    long long step = (atomic_load(&asked_for) - began) / places + 1;
    long files = open_files();
    long long before = atomic_load(&alive), failures = 0;
    for (long long n = 0;; n += step) {
        atomic_store(&until_failure, n);
        ttmem_run_status status = use(path);
        long long left = atomic_exchange(&until_failure, -1);
        if (left >= 0) break; /* it was never reached */
        CHECK(status == TTMEM_RUN_NO_MEMORY || status == TTMEM_RUN_OK || status == TTMEM_RUN_INPUT);
        failures += status == TTMEM_RUN_NO_MEMORY;
        CHECK(open_files() == files);
    }
    CHECK(failures > 10);
    CHECK(atomic_load(&alive) <= before + 8); /* what glibc keeps for threads and messages */
    CHECK(use(path) == TTMEM_RUN_OK);
    printf("%s\n", failures > 10 ? "survived" : "");
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    if (argc > 3 && strcmp(argv[1], "first") == 0) first(argv[2], atoll(argv[3]));
    if (argc > 3) setenv("TTMEM_THREADS", argv[3], 1);
    if (strcmp(argv[1], "tables") == 0) tables(argv[2]);
    if (strcmp(argv[1], "arrow") == 0) arrow(argv[2]);
    if (strcmp(argv[1], "errors") == 0) errors(argv[2]);
    if (argc > 4 && strcmp(argv[1], "memory") == 0) memory(argv[2], atoll(argv[4]));
    return 0;
}
