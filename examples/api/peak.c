/* SPDX-License-Identifier: Apache-2.0 */
/* The peaks of a run and the op after which they were reached, through libttmem_run:
 *   cc peak.c -lttmem_run && ./a.out transformer_profile.log */
#include <inttypes.h>
#include <stdio.h>

#include <ttmem/run.h>

static int print_text(const ttmem_column *column, size_t row) {
    const int64_t *place = column->offsets + row;
    return printf("%.*s", (int)(place[1] - place[0]), (const char *)column->values + place[0]);
}

int main(int argc, char **argv) {
    ttmem_run *run;
    ttmem_column pool, allocated, after, names;
    if (argc != 2 || ttmem_run_open(argv[1], &run) != TTMEM_RUN_OK) {
        fprintf(stderr, "%s\n", argc == 2 ? ttmem_run_last_error() : "usage: peak RUN");
        return 1;
    }
    if (ttmem_run_column(run, "peaks", "pool", &pool) != TTMEM_RUN_OK ||
        ttmem_run_column(run, "peaks", "allocated_bytes_per_bank", &allocated) != TTMEM_RUN_OK ||
        ttmem_run_column(run, "peaks", "op_index", &after) != TTMEM_RUN_OK ||
        ttmem_run_column(run, "ops", "name", &names) != TTMEM_RUN_OK) {
        fprintf(stderr, "%s\n", ttmem_run_last_error());
        ttmem_run_close(run);
        return 1;
    }
    const int64_t *bytes = allocated.values, *ops = after.values;
    for (size_t i = 0; i < allocated.length; i++) {
        print_text(&pool, i);
        printf(" %" PRId64 " bytes per bank", bytes[i]);
        if (ttmem_column_valid(&after, i)) {
            printf(" after #%" PRId64 " ", ops[i]);
            print_text(&names, (size_t)ops[i]);
        }
        printf("\n");
    }
    ttmem_run_close(run);
    return 0;
}
