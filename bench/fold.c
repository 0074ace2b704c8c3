/* SPDX-License-Identifier: Apache-2.0 */
/* What of reading a log has to happen in order: prints the milliseconds that one thread needs to fold the parsed pieces of a
 * log into a run, and those that parsing them takes. Up to parsing / folding threads, the folding is not the limit. bench_fold
 * LOG */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/err.h"
#include "model/fold.h"
#include "model/pieces.h"

struct timed {
    struct fold fold;
    int64_t ns; /* in the fold */
};

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void take(void *context, const struct log_piece *piece) {
    struct timed *timed = context;
    int64_t start = now();
    fold_piece(&timed->fold, piece);
    timed->ns += now() - start;
}

int main(int argc, char **argv) {
    struct err err = {0};
    struct source source;
    struct run run = {0};
    struct timed timed = {.ns = 0};
    setenv("TTMEM_THREADS", "1", 1); /* nothing else at the same time */
    if (argc != 2 || source_open(&source, argv[1], &err) != 0) {
        fprintf(stderr, "usage: bench_fold LOG\n");
        return 2;
    }
    fold_init(&timed.fold, &run, source.bytes);
    struct piece_taker taker = {.context = &timed, .take = take, .keep_ops = true, .ahead = &timed.fold.ahead};
    int64_t start = now();
    int rc = pieces_read(&source, &taker, &run.bytes, NULL, &err);
    int64_t parsed = now() - start - timed.ns;
    start = now();
    fold_finish(&timed.fold);
    timed.ns += now() - start;
    printf("%" PRId64 " %" PRId64 "\n", timed.ns / 1000000, parsed / 1000000);
    run_release(&run);
    source_release(&source);
    return rc == 0 ? 0 : 3;
}
