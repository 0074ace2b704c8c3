/* SPDX-License-Identifier: Apache-2.0 */
/* The wordings of the messages, one row each; private to the failure parser. */
#ifndef TTMEM_PARSE_FAILURE_FORMS_H
#define TTMEM_PARSE_FAILURE_FORMS_H

#include "parse/failure/failure.h"

enum failure_step_kind {
    FAILURE_STEP_END,
    FAILURE_STEP_NUMBER,
    FAILURE_STEP_HEX,      /* "0x2000", or plain digits */
    FAILURE_STEP_KIB,      /* "4096kB" from the kernel: units of 1024 */
    FAILURE_STEP_KIB_MORE, /* the same, added to the previous number if present */
    FAILURE_STEP_SIZE,     /* "16.00 GiB" */
    FAILURE_STEP_ADD,      /* a number added to the previous one */
    FAILURE_STEP_TIMES,    /* or multiplied with it */
    FAILURE_STEP_POOL,
    FAILURE_STEP_CORES,
    FAILURE_STEP_NAME,      /* of an op */
    FAILURE_STEP_SUBJECT,   /* kernel or process: up to the words `after` */
    FAILURE_STEP_CGROUP,    /* the same for a cgroup */
    FAILURE_STEP_CORE_TYPE, /* "(70656) on TENSIX": right after a number */
    FAILURE_STEP_WORDS,     /* part of the message, with no value */
};

/* One value of a message: it follows the words `before`, and `after` begins the text after it (NULL: anything). A step whose
 * words are missing is skipped: the message is cut, older or abridged. */
struct failure_step {
    enum failure_step_kind kind;
    enum failure_number number;
    const char *before; /* "": right after the previous value */
    const char *after;
    bool far; /* other words may come in between, as long as the message continues */
};

struct failure_form {
    enum failure_kind kind;
    const char *start;  /* the message begins with this */
    const char *needs;  /* and contains this, NULL: nothing more */
    const char *unless; /* and not this */
    const char *nor;    /* nor this */
    const char *rule;
    const char *what;
    const char *op;                   /* the only op that prints it, NULL: any */
    const struct failure_step *steps; /* up to a FAILURE_STEP_END; NULL: none */
    enum failure_pool pool;           /* if the message does not name it */
    bool limit_is_page;
    bool warning;
    bool count_before;    /* a FAILURE_COUNT is right before the start */
    bool path_before;     /* the path of a kernel's binary, and a colon */
    bool op_before;       /* the name of an op in quotes, as MLIR writes it */
    bool wants_error;     /* the words are common: something must mark them as an error */
    bool wants_event;     /* so are these: they must say what happened, not what could happen */
    bool wants_exception; /* the name of an exception, as Python prints it: only its module may precede it */
    bool wants_shell;     /* after the place in a script and a process id, as a shell reports how a process ended */
    bool certain;         /* a message by its words alone, even if values are missing */
    bool maybe_other;     /* the process was killed, maybe for another reason than memory */
    bool last_resort;     /* used only if no other row fits the message */
    bool wants_pool;      /* the start alone is common prose: it needs the name of the pool, or an error around it */
};

#define NEAR(step_kind, field, words_before, word_after) \
    { FAILURE_STEP_##step_kind, FAILURE_##field, words_before, word_after, false }
#define STEP(step_kind, field, words_before, word_after) \
    { FAILURE_STEP_##step_kind, FAILURE_##field, words_before, word_after, true }
#define NUMBER(field, words_before, word_after) NEAR(NUMBER, field, words_before, word_after)
#define FAR(field, words_before, word_after) STEP(NUMBER, field, words_before, word_after)
#define POOL(words_before, word_after) NEAR(POOL, NUMBERS, words_before, word_after)
#define CORES(words_before, word_after) NEAR(CORES, NUMBERS, words_before, word_after)
#define CORE_TYPE_BEHIND NEAR(CORE_TYPE, NUMBERS, "", NULL)
#define NAME(words_before, word_after) STEP(NAME, NUMBERS, words_before, word_after)
#define SUBJECT(words_before, word_after) STEP(SUBJECT, NUMBERS, words_before, word_after)
#define CGROUP(words_before, word_after) STEP(CGROUP, NUMBERS, words_before, word_after)
#define WORDS(words) STEP(WORDS, NUMBERS, words, NULL)

#define FORM(name, start_words, needed_words, values) \
    .kind = FAILURE_##name, .start = start_words, .needs = needed_words, .steps = values
#define RULE(start_words, needed_words, broken, values) FORM(CB_RULE, start_words, needed_words, values), .rule = broken
#define WHAT(name, start_words, needed_words, wrong, values) FORM(name, start_words, needed_words, values), .what = wrong

/* Begins `what` in rows that know only of signal 9. */
#define FAILURE_KILLED_FROM_OUTSIDE "The process was killed from outside"

/* Each ends with a row whose start is NULL. Of rows with the same start, the first that fits counts. */
extern const struct failure_form failure_forms_classic[], failure_forms_runtime[], failure_forms_ops[], failure_forms_host[];
/* All of them, in that order; ends with NULL. */
extern const struct failure_form *const failure_tables[];

#endif
