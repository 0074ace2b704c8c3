/* SPDX-License-Identifier: Apache-2.0 */
#include "base/amounts.h"
#include "base/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/outfile.h"
#include "base/term.h"

enum { FIRST_DRAW_NS = 500000000, REDRAW_NS = 100000000, BAR_CELLS = 30 };

int64_t clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void progress_start(struct progress *p, enum progress_mode mode, const char *what, uint64_t total) {
    p->enabled = mode == PROGRESS_ALWAYS || (mode == PROGRESS_AUTO && isatty(STDERR_FILENO));
    p->counts = p->enabled || mode == PROGRESS_COUNT;
    p->what = what;
    atomic_store(&p->total, total);
    p->started_ns = clock_ns();
    atomic_store(&p->done, 0);
    atomic_store(&p->next_draw_ns, p->started_ns + (mode == PROGRESS_ALWAYS ? 0 : FIRST_DRAW_NS));
    atomic_store(&p->drawn, false);
    if (mode != PROGRESS_COUNT) atomic_store(&p->stop, false); /* otherwise the caller counts */
}

static void draw(struct progress *p, uint64_t done) {
    struct term term = term_of(STDERR_FILENO, true);
    struct strbuf line = {0};
    strbuf_addf(&line, "\r%s  ", p->what);
    if (p->total) {
        if (done > p->total) done = p->total;
        term_bar(&line, &term, (int64_t)done, (int64_t)p->total, BAR_CELLS);
        strbuf_addf(&line, "  %3s %%", figure_percent((int64_t)done, p->total, 0).text);
    } else {
        strbuf_addf(&line, "%s MB", figure_ratio((int64_t)done, NUM_MIB, 0).text);
    }
    strbuf_addz(&line, "\x1b[K");
    write_all(STDERR_FILENO, strbuf_slice(&line), NULL);
    strbuf_release(&line);
    atomic_store(&p->drawn, true);
}

void progress_add(struct progress *p, uint64_t n) {
    if (!p->counts) return;
    uint64_t done = atomic_fetch_add(&p->done, n) + n;
    if (!p->enabled) return;
    int64_t now = clock_ns(), due = atomic_load(&p->next_draw_ns);
    if (now < due || !atomic_compare_exchange_strong(&p->next_draw_ns, &due, now + REDRAW_NS)) return;
    draw(p, done);
}

void progress_end(struct progress *p) {
    if (p->enabled && atomic_load(&p->drawn)) write_all(STDERR_FILENO, SLICE("\r\x1b[K"), NULL);
    p->enabled = false;
}
