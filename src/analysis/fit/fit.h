/* SPDX-License-Identifier: Apache-2.0 */
/* What would make it fit: changes that are tried, each by a replay of the whole trace, and the smallest set of them that
 * reaches the target. Kinds of changes are rows of tables: fit_run_kinds for every trace, more for compiled modules
 * (predict/fit), which are replayed again from the module.
 *
 * Work is bounded: for long runs fewer changes are tried, the most promising first, and the rest are counted. */
#ifndef TTMEM_ANALYSIS_FIT_FIT_H
#define TTMEM_ANALYSIS_FIT_FIT_H

#include "analysis/fit/trace.h"
#include "base/err.h"
#include "base/strbuf.h"

struct fit;
struct fit_change;
struct fit_effects;

struct fit_kind {
    const char *id; /* in JSON */
    /* Adds possible changes to fit->changes. */
    void (*list)(struct fit *fit, const struct fit_kind *kind);
    /* NULL: the source makes a changed trace. */
    void (*apply)(struct fit_variant *v, const struct fit_change *change);
    /* Adds a change by name that is not listed; NULL: all changes are listed. */
    void (*ask)(struct fit *fit, const struct fit_kind *kind, const char *name);
};

/* FIT_LOG_ROUNDING: a log rounds to a thousandth of a MB, each time that memory is compared. FIT_TIGHT_PART:
 * in the failure for which both are known (docs/predict.md), the predicted largest free block was larger than the device's by
 * that part of the bank. Less room than that is not safe to expect of a device. */
enum { FIT_NAME_ROOM = 112, FIT_SET_MOST = 16, FIT_LOG_ROUNDING = 4200, FIT_TIGHT_PART = 100 };

static inline bool fit_is_tight(int64_t margin, uint64_t bank) { return margin < (int64_t)(bank / FIT_TIGHT_PART); }

struct fit_change {
    const struct fit_kind *kind;
    char name[FIT_NAME_ROOM]; /* as --try takes it */
    uint64_t group;           /* key of the changed group, or 0 */
    uint64_t number;          /* meaning depends on the kind */
    const char *assumption;   /* NULL: exact */
    uint64_t uncertainty;     /* bytes per bank by which an estimate may be off, beyond the error of the unchanged replay */
    const char *setting;      /* the setting to change, or NULL */
    uint32_t place;           /* op that makes its tensor, for op_of; or NONE */
    const char *one_of;       /* why only one change with the same words is possible: "weights have one element"; or NULL */
    bool other_device;        /* not a change of the program: not combined with others */
    bool contains_others;     /* likewise */
    bool gives_up;            /* changes what the program does: not combined if others are enough */
    const struct fit_effects *effects; /* its effects on the trace, if a search needs them repeatedly; or NULL */
    struct fit_result result;
};

/* Where the trace comes from. */
struct fit_source {
    void *context;
    /* The trace with those changes that have no `apply`; NULL: unchanged. Valid until the next call. */
    const struct fit_trace *(*trace)(void *context, const struct fit_change *const *set, size_t count);
    uint64_t cost; /* cost of making one, in replayed events */
};

/* Does it fit, or reach the target? An estimate whose bound crosses the limit only may. */
enum fit_verdict { FIT_FITS, FIT_MAY_FIT, FIT_DOES_NOT_FIT, FIT_VERDICTS };
extern const char *const fit_verdict_keys[FIT_VERDICTS]; /* "fits", "may_fit", "does_not_fit" */

struct fit_set {
    bool found;  /* it reaches the target, even with its uncertainty */
    bool maybe;  /* none does; this one may */
    bool proven; /* no smaller one does */
    size_t count;
    size_t changes[FIT_SET_MOST]; /* indices in fit.changes */
    struct fit_result result;
    uint64_t uncertainty;
    bool exact;
};

/* The allowed peak. */
struct fit_target {
    uint64_t bytes;         /* per bank, 0: the whole bank */
    uint64_t percent_milli; /* of the bank, in thousandths of a percent; 0: by bytes */
};

struct fit {
    const struct fit_trace *trace;
    struct fit_source source;
    const struct fit_kind *const *kinds; /* of the source; or NULL */
    struct fit_target target;
    struct fit_result base;
    uint64_t *addresses;            /* of the unchanged replay */
    uint64_t difference;            /* between its peak and the measured one */
    uint64_t blocks_off;            /* most by which its largest free block differs from the run's, if addresses are known */
    bool failed;                    /* the run ended with a request that did not fit */
    uint64_t needs;                 /* smallest bank in which a replay placed everything; 0: not searched */
    bool needs_less;                /* a smaller one may be enough: there was no time to search */
    VEC(struct fit_change) changes; /* best first */
    uint64_t left_out;              /* candidates that were not tried */
    uint64_t chips_left_out;        /* the same for other chips */
    uint64_t no_help;               /* tried, but alone no nearer to the target */
    struct fit_set set;             /* the smallest that reaches the target; with --try the requested one */
    bool exact_only;                /* the set has only exact changes */
    uint64_t replays, work, budget;
    struct arena arena; /* for effects */
};

extern const struct fit_kind *const fit_run_kinds[]; /* ends with NULL */

/* Replays the unchanged trace. `source` may be NULL. */
void fit_begin(struct fit *fit, const struct fit_trace *trace, const struct fit_source *source, struct fit_target target);

/* Does the unchanged replay match what happened: it fails where the run did, and its levels are near the measured ones?
 * Otherwise nothing can be said about changes. */
bool fit_is_told(const struct fit *fit);

/* Lists possible changes of these kinds (may be NULL) and of fit_run_kinds. */
void fit_list(struct fit *fit, const struct fit_kind *const *kinds);

/* Tries each change by itself, sorts them and searches the smallest set. Those that save nothing are counted and left out. */
void fit_try_all(struct fit *fit);

/* The first answer of the table: the smallest set that reaches the target, else another device that certainly does, else a
 * set that may. False: nothing that was tried does, or nothing has to change. */
bool fit_enough(const struct fit *fit, struct fit_set *out);

/* Replays only the set of those names (into fit->set); -1 with ERR_USAGE if a name does not exist or is ambiguous. */
int fit_try_named(struct fit *fit, const char *const *names, size_t count, struct err *err);

void fit_release(struct fit *fit);

/* The target in bytes per bank of a result; 0: none. It may be more than the bank. */
uint64_t fit_asked_of(const struct fit *fit, const struct fit_result *result);

/* The bytes per bank that the peak of a result may reach. */
uint64_t fit_limit_of(const struct fit *fit, const struct fit_result *result);

/* The verdict on a result with this uncertainty, in addition to that of the unchanged replay: for its bank, and for the
 * target. */
enum fit_verdict fit_in_bank(const struct fit *fit, const struct fit_result *result, uint64_t uncertainty);
enum fit_verdict fit_to_target(const struct fit *fit, const struct fit_result *result, uint64_t uncertainty);
static inline bool fit_reaches(const struct fit *fit, const struct fit_result *result, uint64_t uncertainty) {
    return fit_to_target(fit, result, uncertainty) == FIT_FITS;
}

/* The same for the unchanged replay: for a measured run the answer is known. */
enum fit_verdict fit_was_in_bank(const struct fit *fit);
enum fit_verdict fit_was_to_target(const struct fit *fit);

/* For kinds: adds a change, or counts it as left out and returns NULL if there are too many. */
struct fit_change *fit_add(struct fit *fit, const struct fit_kind *kind, uint64_t group, uint32_t place);

/* The same for a requested change: there is always room. */
struct fit_change *fit_add_wanted(struct fit *fit, const struct fit_kind *kind, uint64_t group, uint32_t place);

/* Reports what is allocated as the changed trace proceeds. */
void fit_follow(struct fit *fit, const struct fit_change *change, const struct fit_watcher *watcher);

/* Replays the trace with a set of changes. */
void fit_evaluate(struct fit *fit, const struct fit_change *const *set, size_t count, struct fit_result *result);

/* Why two of them cannot be made together; NULL: they can. */
const char *fit_exclude_each_other(const struct fit_change *a, const struct fit_change *b);

/* Does the word name the change: the same, or with the suffix that makes it unique: " (line 12)", " (2)"? */
bool fit_is_called(const char *name, const char *word);

/* Makes equal names unique. */
void fit_names_apart(struct fit *fit);

/* The change of that name, in any spelling; SIZE_MAX with ERR_USAGE if there is none, or several. */
size_t fit_find_named(struct fit *fit, const char *name, struct err *err);

/* search.c */
void fit_search(struct fit *fit);
bool fit_is_better(const struct fit *fit, const struct fit_result *a, const struct fit_result *b);

#endif
