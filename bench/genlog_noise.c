/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of other producers: loguru (PJRT plugin), spdlog (tt-metal), Python, blank lines, broken bytes. */
#include "genlog.h"

#include <string.h>

static void put_loguru(struct gen *g, struct text *t, const char *file, unsigned line, const char *message) {
    double c = g->sink.clock += 0.003;
    unsigned whole = (unsigned)c, ms = (unsigned)((c - whole) * 1000);
    text_printf(t, "2026-06-11 %02u:%02u:%02u.%03u (%8.3fs) [        9F3C1740]%23s:%-5u %4s| %s", whole / 3600 % 24,
                whole / 60 % 60, whole % 60, ms, c - 1000.0, file, line, "1", message);
}

static void put_spdlog(struct gen *g, struct text *t, const char *level, const char *category, const char *message) {
    double c = g->sink.clock += 0.001;
    unsigned whole = (unsigned)c, ms = (unsigned)((c - whole) * 1000);
    text_printf(t, "2026-06-11 %02u:%02u:%02u.%03u | %-8s | %15s | %s", whole / 3600 % 24, whole / 60 % 60, whole % 60, ms,
                level, category, message);
}

static void write_line(struct gen *g, int rank, const struct text *t) {
    sink_begin(&g->sink, rank);
    sink_put(&g->sink, t->p ? t->p : "", t->len);
    sink_end(&g->sink, NULL);
}

enum noise_kind {
    N_READY,
    N_EXECUTE,
    N_CACHE,
    N_OPEN,
    N_GRID,
    N_STRUCTURED,
    N_ROOT = N_STRUCTURED,
    N_VLLM,
    N_BAR,
    N_BLANK,
    N_PIPE,
    N_ANGLE,
    N_BAD_UTF8,
    N_NUL,
    N_KINDS
};

static void put_noise(struct gen *g, struct text *t, enum noise_kind kind, struct rng *r) {
    switch (kind) {
        case N_READY:
            put_loguru(g, t, "buffer_instance.cc", 733, "BufferInstance::PJRT_Buffer_ReadyEvent");
            break;
        case N_EXECUTE:
            put_loguru(g, t, "loaded_executable_insta", 112, "LoadedExecutableInstance::Execute");
            break;
        case N_CACHE:
            put_spdlog(g, t, "info", "Metal", "Enabling program cache on MeshDevice 1 (mesh_device.cpp:1140)");
            break;
        case N_OPEN:
            put_spdlog(g, t, "warning", "Op",
                       "TILE layout does not have multicore implementation yet. Falling back to 1 core. (tilize_op.cpp:20)");
            break;
        case N_GRID:
            text_printf(t, "%sDevice grid size = { 8, 8 }", g->pre_info);
            break;
        case N_ROOT:
            text_puts(t, "WARNING:root:Defaulting to PJRT_DEVICE=TT");
            break;
        case N_VLLM:
            text_printf(t, "INFO 06-19 09:35:%02u [utils.py:233] non-default args: {'max_model_len': %u}", rng_below(r, 60),
                        32 + rng_below(r, 4096));
            break;
        case N_BAR:
            text_printf(t, "  %3u%%|\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88       | %u/100 [00:%02u<00:10,  9.9it/s]",
                        rng_below(r, 100), rng_below(r, 100), rng_below(r, 60));
            break;
        case N_BLANK:
            break;
        case N_PIPE:
            text_puts(t, "| layer | memory state | DRAM | executing | (not a runtime line) |");
            break;
        case N_ANGLE:
            text_puts(t, "<unprintable> }} )) ]] loc(\"x\" tensor<1x2 : ( -> module {");
            break;
        case N_BAD_UTF8:
            text_puts(t, "\xff\xfe bad \xc3( bytes \x80");
            break;
        case N_NUL:
            text_put(t, "nul \0\0\0 bytes", 13);
            break;
        default:
            break;
    }
}

void noise_line(struct gen *g, int rank, struct rng *r, bool structured) {
    enum noise_kind kind;
    do kind = (enum noise_kind)rng_below(r, structured ? N_STRUCTURED : N_KINDS);
    while ((kind == N_BAD_UTF8 && !g->opt.bad_utf8) || (kind == N_NUL && !g->opt.nul));
    struct text t = {0};
    put_noise(g, &t, kind, r);
    write_line(g, rank, &t);
    text_release(&t);
}

void noise_damage(struct gen *g) {
    struct text t = {0};
    if (g->opt.bad_utf8) put_noise(g, &t, N_BAD_UTF8, &g->rng);
    if (g->opt.nul) put_noise(g, &t, N_NUL, &g->rng);
    if (t.len) write_line(g, -1, &t);
    text_release(&t);
}

void noise_loguru(struct gen *g, const char *file, unsigned line, const char *message, const struct event *e) {
    struct text t = {0};
    put_loguru(g, &t, file, line, message);
    sink_begin(&g->sink, -1);
    sink_put(&g->sink, t.p, t.len);
    sink_end(&g->sink, e);
    text_release(&t);
}

void noise_spdlog(struct gen *g, int rank, const char *level, const char *category, const char *message,
                  const struct event *e) {
    struct text t = {0};
    put_spdlog(g, &t, level, category, message);
    sink_begin(&g->sink, rank);
    sink_put(&g->sink, t.p, t.len);
    sink_end(&g->sink, e);
    text_release(&t);
}
