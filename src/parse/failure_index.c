#include "parse/failure_index.h"

#include <assert.h>
#include <pthread.h>

/* Words that many rows share, with the three letters that hardly occur in the output of compiler and runtime. Most messages
 * hold two of them, so that one is left when the other is broken by a line end or by doubled spaces. find_any looks at the
 * words of a bucket at once, whose mixture must not occur either; a row that holds none of them brings a needle of its own. */
static const struct needle shared_needles[] = {
    NEEDLE("tatically", 6),                            /* lly */
    NEEDLE("ircular", 0),                              /* irc */
    NEEDLE("enough", 1),                               /* nou */
    NEEDLE("large for k", 8),                          /* r_k */
    NEEDLE("kernel config", 5),                        /* l_c */
    NEEDLE("of Memory:", 1),                           /* f M */
    NEEDLE("trace buffers", 5),                        /* _bu */
    NEEDLE("trace region", 7),                         /* egi */
    NEEDLE("globally", 5),                             /* lly */
    NEEDLE("below", 0),                                /* bel */
    NEEDLE("too", 0),           NEEDLE("Creating", 0), /* Cre */
    NEEDLE("ataflow", 1),                              /* taf */
};

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

/* The three letters inside a word of the start that are rarest together, as a needle of that length; spaces are left out, a
 * text may have several or a line end instead. */
static bool own_needle(const char *start, struct needle *out) {
    unsigned best = 0;
    for (size_t i = 0; start[i] && start[i + 1] && start[i + 2]; i++) {
        if (memchr(start + i, ' ', 3)) continue;
        unsigned score = rarity(start[i]) + rarity(start[i + 1]) + rarity(start[i + 2]);
        if (score <= best) continue;
        best = score;
        size_t from = i, to = i + 3;
        while (from && start[from - 1] != ' ') from--;
        while (start[to] && start[to] != ' ') to++;
        *out = (struct needle){start + from, (uint8_t)(to - from), (uint8_t)(i - from)};
    }
    return best > 0;
}

bool failure_index_build(struct failure_index *index, const struct failure_form *forms) {
    *index = (struct failure_index){.forms = forms, .needle_count = SHARED};
    memcpy(index->needles, shared_needles, sizeof shared_needles);
    for (const char *const *ender = failure_enders; *ender; ender++) mark_letter(index->begins_ender, (*ender)[0]);
    for (const struct failure_form *form = forms; form->start; form++) {
        mark_letter(index->begins_form, form->start[0]);
        if (has_needle(index, form)) continue;
        if (index->needle_count == FIND_ANY_MAX || !own_needle(form->start, &index->needles[index->needle_count])) return false;
        index->needle_count++;
    }
    return true;
}

static struct failure_index the_index;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void build(void) {
    bool built = failure_index_build(&the_index, failure_forms);
    assert(built && "more rows with needles of their own than find_any takes");
    (void)built;
}

const struct failure_index *failure_index(void) {
    pthread_once(&once, build);
    return &the_index;
}
