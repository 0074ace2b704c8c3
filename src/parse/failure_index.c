/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/failure_index.h"

#include <assert.h>
#include <pthread.h>

#define BUCKET(number, literal, fingerprint_at) \
    { .text = literal, .len = sizeof(literal) - 1, .fingerprint = fingerprint_at, .bucket = 1 + (number) }

/* Words that rows share, with the four letters that hardly occur in the output of compiler and runtime. Most messages hold two
 * of them, so that one is left when the other is broken by a line end or by doubled spaces. find_any looks at the words of a
 * bucket at once, whose mixture must not occur either: buckets are made so that on runtime logs and module dumps one byte in
 * seventeen thousand is looked at twice. A row that holds none of them brings a needle of its own. */
/* clang-format off */
static const struct needle shared_needles[] = {
    BUCKET(0, "Program", 0), /* Prog */
    BUCKET(0, "enough", 0), /* enou */
    BUCKET(0, "exceed", 0), /* exce */
    BUCKET(0, "below", 1), /* elow */
    BUCKET(0, "ataflow", 3), /* flow */
    BUCKET(0, "TT_THROW", 4), /* HROW */
    BUCKET(0, "overflows", 2), /* erfl */
    BUCKET(0, "annot fit", 1), /* nnot */
    BUCKET(1, "usage", 0), /* usag */
    BUCKET(1, "tatically", 2), /* tica */
    BUCKET(1, "overlap", 3), /* rlap */
    BUCKET(1, "EXHAUSTED", 0), /* EXHA */
    BUCKET(1, "oom_reap", 4), /* reap */
    BUCKET(1, "larger than", 7), /* than */
    BUCKET(1, "Negate H", 0), /* Nega */
    BUCKET(2, "of Memory:", 0), /* of_M */
    BUCKET(2, "semaphore", 2), /* maph */
    BUCKET(2, "OOM on core", 2), /* M_on */
    BUCKET(2, "least one request", 4), /* t_on */
    BUCKET(2, "spilled past", 6), /* d_pa */
    BUCKET(2, "suitable buffer", 2), /* itab */
    BUCKET(2, "Cannot allocate", 4), /* ot_a */
    BUCKET(2, "emory map end", 4), /* y_ma */
    BUCKET(3, "kernel config", 5), /* l_co */
    BUCKET(3, "ugepage", 0), /* ugep */
    BUCKET(3, "exit code", 3), /* t_co */
    BUCKET(3, "extends past", 8), /* past */
    BUCKET(3, "globally", 2), /* obal */
    BUCKET(3, "exit status", 3), /* t_st */
    BUCKET(3, "Cannot add", 5), /* t_ad */
    BUCKET(3, "Unable to allocate", 8), /* o_al */
    BUCKET(4, "trace buffers", 3), /* ce_b */
    BUCKET(4, "refetcher", 5), /* cher */
    BUCKET(4, "runtime args", 5), /* me_a */
    BUCKET(4, "contiguous L1", 9), /* s_L1 */
    BUCKET(4, "must leave room", 8), /* ve_r */
    BUCKET(4, "trace region", 3), /* ce_r */
    BUCKET(4, "too large", 2), /* o_la */
    BUCKET(5, "too small", 1), /* oo_s */
    BUCKET(5, "Killed process", 0), /* Kill */
    BUCKET(5, "no in0_block_w", 5), /* 0_bl */
    BUCKET(5, "large for kernel", 7), /* or_k */
    BUCKET(5, "Kill process", 0), /* Kill */
    BUCKET(5, "of shards", 0), /* of_s */
    BUCKET(5, "available memory for", 4), /* labl */
    BUCKET(5, "oom-kill", 4), /* kill */
    BUCKET(6, "Creating", 2), /* eati */
    BUCKET(6, "fit in L1", 1), /* it_i */
    BUCKET(6, "seq len", 1), /* eq_l */
    BUCKET(6, "bad_alloc", 1), /* ad_a */
    BUCKET(6, "exited with", 4), /* ed_w */
    BUCKET(6, "TT_FATAL", 3), /* FATA */
    BUCKET(7, "alive", 0), /* aliv */
    BUCKET(7, "unsafe", 1), /* nsaf */
    BUCKET(7, "sysmem", 1), /* ysme */
    BUCKET(7, "zone full", 0), /* zone */
    BUCKET(7, "DefaultCPU", 6), /* tCPU */
    BUCKET(7, "ircular", 0), /* ircu */
};
/* clang-format on */

enum { SHARED = sizeof shared_needles / sizeof *shared_needles };

const char *const failure_enders[] = {"Out of Memory:",
                                      "Not enough space",
                                      "Statically allocated",
                                      "Creating trace buffers",
                                      "Cannot set to globally",
                                      "backtrace:",
                                      "(assert.hpp",
                                      "TT_FATAL",
                                      "TT_THROW",
                                      "Traceback",
                                      NULL};

static void mark_letter(bool set[256], char c) {
    set[(unsigned char)c] = true;
    if (c >= 'a' && c <= 'z') set[c - 'a' + 'A'] = true;
    if (c >= 'A' && c <= 'Z') set[c - 'A' + 'a'] = true;
}

static bool holds(const char *words, const struct needle *needle) {
    return words && slice_find(slice_from(words), slice_of(needle->text, needle->len)) != SLICE_NONE;
}

static bool has_needle(const struct failure_index *index, const struct failure_form *form) {
    for (size_t i = 0; i < index->needle_count; i++)
        if (holds(form->start, &index->needles[i]) || holds(form->needs, &index->needles[i])) return true;
    return false;
}

/* How rare a letter is in logs, roughly: its place in a list that begins with the most common ones. */
static unsigned rarity(char c) {
    static const char common[] = " etnoairsldmcu_0123.,x=(){}:<>#%\"4856p79hfbgyvkw";
    const char *at = memchr(common, c, sizeof common - 1);
    return at ? (unsigned)(at - common) : (unsigned)sizeof common;
}

/* The four letters of the start that are rarest together, as a needle that goes on for a few more. */
static bool own_needle(const char *start, struct needle *out) {
    enum { LETTERS = FIND_ANY_FINGERPRINT, LONGEST = 24 };
    unsigned best = 0;
    size_t len = strlen(start);
    for (size_t i = 0; i + LETTERS <= len; i++) {
        unsigned score = 0;
        for (size_t k = 0; k < LETTERS; k++) score += rarity(start[i + k]);
        if (score <= best) continue;
        best = score;
        *out = (struct needle){.text = start + i, .len = (uint8_t)(len - i < LONGEST ? len - i : LONGEST)};
    }
    return best > 0;
}

static unsigned char small(char c) { return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

static bool add_row(struct failure_index *index, const struct failure_form *form) {
    if (index->row_count == FAILURE_ROWS_MAX) return false;
    index->rows[index->row_count++] = form;
    uint16_t *link = &index->first_row[small(form->start[0])];
    while (*link) link = &index->next_row[*link - 1];
    *link = (uint16_t)index->row_count;
    if (has_needle(index, form)) return true;
    if (index->needle_count == FIND_ANY_MAX || !own_needle(form->start, &index->needles[index->needle_count])) return false;
    index->needle_count++;
    return true;
}

/* ---- what stands around a needle ---- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

struct then {
    bool anything;
    bool in_word; /* a letter stands before it */
    uint64_t set[2];
};

static void allow(struct then *then, char c) {
    unsigned char letters[] = {small(c), (unsigned char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c)};
    for (size_t i = 0; i < sizeof letters; i++) then->set[letters[i] / 64 & 1] |= 1ull << letters[i] % 64;
}

/* In every place where the words hold the needle. */
static void add_words(struct then *then, const char *words, const struct needle *needle) {
    struct slice rest = slice_from(words ? words : "");
    for (size_t at; (at = slice_find(rest, slice_of(needle->text, needle->len))) != SLICE_NONE;) {
        char before = at ? rest.ptr[at - 1] : rest.ptr > words ? rest.ptr[-1] : ' ';
        then->in_word |= is_letter(before);
        rest = slice_skip(rest, at + needle->len);
        struct slice next = slice_trim(rest);
        if (next.len) allow(then, next.ptr[0]);
        else then->anything = true;
    }
}

static void find_neighbours(const struct failure_index *index, struct needle *needle) {
    struct then then = {0};
    for (size_t i = 0; i < index->row_count; i++) {
        const struct failure_form *form = index->rows[i];
        add_words(&then, form->start, needle);
        add_words(&then, form->needs, needle);
        for (const struct failure_step *step = form->steps; step && step->kind; step++) add_words(&then, step->before, needle);
    }
    needle->begins_word = !then.in_word && is_letter(needle->text[0]);
    if (!then.anything) memcpy(needle->then, then.set, sizeof then.set);
}

bool failure_index_build(struct failure_index *index, const struct failure_form *const *tables) {
    *index = (struct failure_index){.needle_count = SHARED};
    memcpy(index->needles, shared_needles, sizeof shared_needles);
    for (const char *const *ender = failure_enders; *ender; ender++) mark_letter(index->begins_ender, (*ender)[0]);
    for (; *tables; tables++)
        for (const struct failure_form *form = *tables; form->start; form++)
            if (!add_row(index, form)) return false;
    for (int c = 'A'; c <= 'Z'; c++) index->first_row[c] = index->first_row[small((char)c)];
    for (size_t i = 0; i < index->needle_count; i++) find_neighbours(index, &index->needles[i]);
    finder_init(&index->finder, index->needles, index->needle_count);
    return true;
}

static struct failure_index the_index;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void build(void) {
    bool built = failure_index_build(&the_index, failure_tables);
    assert(built && "more rows with needles of their own than find_any takes");
    (void)built;
}

const struct failure_index *failure_index(void) {
    pthread_once(&once, build);
    return &the_index;
}
