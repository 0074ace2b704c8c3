/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers, growing text, arena and number formatting. */
#include "genlog.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct arena_chunk {
    struct arena_chunk *next;
    size_t used, cap;
    _Alignas(16) char data[];
};

/* splitmix64: one word of state, good enough for choosing shapes and noise. */
uint64_t rng_next(struct rng *r) {
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint32_t rng_below(struct rng *r, uint32_t n) { return n ? (uint32_t)((rng_next(r) >> 32) * n >> 32) : 0; }

bool rng_chance(struct rng *r, double p) { return p > 0 && (double)(rng_next(r) >> 11) * 0x1.0p-53 < p; }

_Noreturn void die(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fputs("genlog: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(1);
}

void *xrealloc(void *p, size_t n) {
    void *q = realloc(p, n ? n : 1);
    if (!q) die("out of host memory (%zu bytes)", n);
    return q;
}

void *grow(void *items, size_t n, size_t *cap, size_t item_size) {
    if (n < *cap) return items;
    size_t next = *cap ? *cap * 2 : 16;
    while (next <= n) next *= 2;
    items = xrealloc(items, next * item_size);
    *cap = next;
    return items;
}

static void text_reserve(struct text *t, size_t n) {
    if (t->len + n + 1 <= t->cap) return;
    size_t cap = t->cap ? t->cap * 2 : 256;
    while (cap < t->len + n + 1) cap *= 2;
    t->p = xrealloc(t->p, cap);
    t->cap = cap;
}

void text_put(struct text *t, const char *s, size_t n) {
    text_reserve(t, n);
    if (n) memcpy(t->p + t->len, s, n);
    t->len += n;
    t->p[t->len] = '\0';
}

void text_puts(struct text *t, const char *s) { text_put(t, s, strlen(s)); }

void text_vprintf(struct text *t, const char *fmt, va_list ap) {
    va_list again;
    va_copy(again, ap);
    text_reserve(t, 127);
    int n = vsnprintf(t->p + t->len, t->cap - t->len, fmt, ap);
    if (n < 0) die("bad format");
    if ((size_t)n >= t->cap - t->len) {
        text_reserve(t, (size_t)n);
        vsnprintf(t->p + t->len, (size_t)n + 1, fmt, again);
    }
    va_end(again);
    t->len += (size_t)n;
}

void text_printf(struct text *t, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(t, fmt, ap);
    va_end(ap);
}

void text_release(struct text *t) {
    free(t->p);
    *t = (struct text){0};
}

void *arena_alloc(struct arena *a, size_t n) {
    n = (n + 15) & ~(size_t)15;
    struct arena_chunk *c = a->head;
    if (!c || c->cap - c->used < n) {
        size_t cap = n > (1u << 18) ? n : (1u << 18);
        c = xrealloc(NULL, sizeof *c + cap);
        *c = (struct arena_chunk){.next = a->head, .cap = cap};
        a->head = c;
    }
    void *p = c->data + c->used;
    c->used += n;
    memset(p, 0, n);
    return p;
}

char *arena_dup(struct arena *a, const char *s, size_t n) {
    char *p = arena_alloc(a, n + 1);
    if (n) memcpy(p, s, n);
    return p;
}

void arena_release(struct arena *a) {
    for (struct arena_chunk *c = a->head, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    a->head = NULL;
}

uint64_t round_up(uint64_t n, uint64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

/* bytes / 2^20 is exact in a double, and printf rounds the exact decimal half to even; so does this. */
uint64_t thousandths_of_mb(uint64_t bytes) {
    uint64_t scaled = bytes * 1000, whole = scaled >> 20, rest = scaled & 0xfffff;
    if (rest > 0x80000 || (rest == 0x80000 && (whole & 1))) whole++;
    return whole;
}

size_t format_thousandths(char *dst, uint64_t v) {
    char rev[32];
    size_t n = 0, i = 0;
    for (uint64_t whole = v / 1000; whole || !n; whole /= 10) rev[n++] = (char)('0' + whole % 10);
    while (n) dst[i++] = rev[--n];
    uint64_t rest = v % 1000;
    dst[i++] = '.';
    dst[i++] = (char)('0' + rest / 100);
    dst[i++] = (char)('0' + rest / 10 % 10);
    dst[i++] = (char)('0' + rest % 10);
    return i;
}
