/* SPDX-License-Identifier: Apache-2.0 */
/* Names of changes: each is unique, so that --try means one of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/fit/kinds.h"

enum { MOST_CANDIDATES = 12, PLACE_ROOM = 40 };

/* "free %5 after last use" becomes "free %5 after last use (line 12)"; " (2)" if lines do not distinguish them. */
static void add_words(char *name, const char *words) {
    size_t room = FIT_NAME_ROOM - 1 - strlen(words), len = strlen(name);
    if (len > room) len = room;
    snprintf(name + len, FIT_NAME_ROOM - len, "%s", words);
}

/* The name, with a suffix if it is not unique. */
bool fit_is_called(const char *name, const char *word) {
    size_t len = strlen(word);
    return strncasecmp(name, word, len) == 0 && (!name[len] || (name[len] == ' ' && name[len + 1] == '('));
}

static bool is_taken(const struct fit *fit, size_t but, const char *name) {
    for (size_t i = 0; i < fit->changes.len; i++)
        if (i != but && fit_is_called(fit->changes.items[i].name, name)) return true;
    return false;
}

static void tell_line(const struct fit *fit, struct fit_change *change) {
    struct fit_op op;
    char words[PLACE_ROOM];
    fit->trace->op_of(fit->trace, change->place, &op);
    if (!op.line) return;
    snprintf(words, sizeof words, " (line %llu)", (unsigned long long)op.line);
    add_words(change->name, words);
}

static void tell_number(const struct fit *fit, size_t number) {
    struct fit_change *change = &fit->changes.items[number];
    char plain[FIT_NAME_ROOM];
    memcpy(plain, change->name, sizeof plain);
    for (unsigned n = 1; is_taken(fit, number, change->name) || n == 1; n++) {
        char words[PLACE_ROOM];
        snprintf(words, sizeof words, " (%u)", n);
        memcpy(change->name, plain, sizeof plain);
        add_words(change->name, words);
    }
}

void fit_names_apart(struct fit *fit) {
    for (int pass = 0; pass < 2; pass++) {
        bool *shared = mem_zalloc(fit->changes.len + 1, sizeof *shared);
        for (size_t i = 0; i < fit->changes.len; i++) shared[i] = is_taken(fit, i, fit->changes.items[i].name);
        for (size_t i = 0; i < fit->changes.len; i++) {
            if (shared[i] && !pass) tell_line(fit, &fit->changes.items[i]);
            else if (shared[i]) tell_number(fit, i);
        }
        free(shared);
    }
}

static size_t find(const struct fit *fit, const char *word, size_t *found) {
    size_t count = 0;
    for (size_t i = 0; i < fit->changes.len; i++) {
        if (!fit_is_called(fit->changes.items[i].name, word)) continue;
        *found = i;
        count++;
    }
    return count;
}

/* One of a kind is example enough. */
static bool is_like_one_before(const struct fit *fit, size_t number) {
    for (size_t i = 0; i < number; i++)
        if (fit->changes.items[i].kind == fit->changes.items[number].kind) return true;
    return false;
}

static size_t refuse(const struct fit *fit, const char *word, bool several, struct err *err) {
    struct strbuf known = {0};
    size_t found = 0;
    for (size_t i = 0; i < fit->changes.len; i++) {
        if (several && !fit_is_called(fit->changes.items[i].name, word)) continue;
        if (!several && is_like_one_before(fit, i)) continue;
        if (found++ < MOST_CANDIDATES) strbuf_addf(&known, "%s'%s'", found > 1 ? ", " : "", fit->changes.items[i].name);
    }
    if (found > MOST_CANDIDATES) strbuf_addf(&known, ", and %zu more, which ttmem fit lists", found - MOST_CANDIDATES);
    if (several) err_set(err, ERR_USAGE, "several changes are called '%s'; name one of them: %s", word, strbuf_text(&known));
    else if (!known.len) err_set(err, ERR_USAGE, "unknown change '%s'; there is nothing to try", word);
    else
        err_set(err, ERR_USAGE,
                "unknown change '%s'; give a name from the table that ttmem fit prints (--limit 0: all), such as %s", word,
                strbuf_text(&known));
    strbuf_release(&known);
    return SIZE_MAX;
}

/* Not every possible change is listed. */
static void ask_for(struct fit *fit, const struct fit_kind *const *kinds, const char *name) {
    for (size_t i = 0; kinds && kinds[i]; i++)
        if (kinds[i]->ask) kinds[i]->ask(fit, kinds[i], name);
}

size_t fit_find_named(struct fit *fit, const char *name, struct err *err) {
    size_t found = SIZE_MAX, count;
    ask_for(fit, fit->kinds, name);
    ask_for(fit, fit_run_kinds, name);
    fit_names_apart(fit);
    count = find(fit, name, &found);
    return count == 1 ? found : refuse(fit, name, count > 1, err);
}
