/* SPDX-License-Identifier: Apache-2.0 */
/* What a training summary says: sizes against theory, what fills the peak, whether it fits, and whether its figures agree.
 * All figures are thousandths of a MB, percentages thousandths of a percent. Results point into the train_log, which must
 * stay. */
#ifndef TTMEM_ANALYSIS_TRAIN_H
#define TTMEM_ANALYSIS_TRAIN_H

#include "base/arena.h"
#include "base/vec.h"
#include "device/chip.h"
#include "device/reserve.h"
#include "parse/foreign/train.h"

enum train_role { TRAIN_MODEL, TRAIN_OPTIMIZER, TRAIN_FORWARD, TRAIN_BACKWARD, TRAIN_ROLES, TRAIN_NO_ROLE = TRAIN_ROLES };

/* Parts of the peak, in the order in which the histogram stacks them from the bottom. */
enum train_part { PART_OTHER, PART_MODEL, PART_GRADIENTS_OVERHEAD, PART_OPTIMIZER, PART_ACTIVATIONS, TRAIN_PARTS };

struct train_options {
    bool has_device, has_model, has_optimizer, has_gradients;
    uint64_t device_bytes, model_bytes, optimizer_bytes, gradients_bytes;
    const struct chip *chip; /* board; NULL: not named */
    bool use_actual_sizes;   /* measured model and optimizer in the breakdown */
};

enum train_device_from { DEVICE_OPTION, DEVICE_CHIP, DEVICE_LOG, DEVICE_DEFAULT };

#define TRAIN_DEFAULT_CHIP SLICE("n150") /* of a log that does not say */

struct train_size {
    bool has_actual, has_expected, has_difference;
    bool expected_given; /* by the user, not by theory */
    int64_t actual, expected, difference_pct;
};

/* Phases of one name: FORWARD_PASS_micro_0, FORWARD_PASS_micro_1__000042 and a repeated FORWARD_PASS are FORWARD_PASS. */
struct train_fold {
    struct slice name;
    enum train_role role;
    size_t count;
    size_t first; /* index of a phase */
    size_t worst; /* the one that reaches highest: memory in use before it + its segment peak */
    size_t last;
    uint32_t known;                             /* TRAIN_ALLOCATIONS, TRAIN_DEALLOCATIONS, TRAIN_CHANGE bits */
    int64_t allocations, deallocations, change; /* sums over its phases */
};

/* A printed figure that does not follow from the figures printed before it. */
struct train_disagreement {
    uint64_t line;
    struct slice phase; /* empty: the totals at the end */
    const char *what;   /* "cumulative_peak", ... */
    int64_t printed, recomputed;
};

#define TRAIN_TOLERANCE 20 /* 0.02 MB: three figures rounded to 0.01 can miss each other by 0.015 */

enum train_advice_kind { ADVICE_RECOMPUTE, ADVICE_BATCH, ADVICE_ACCUMULATE, ADVICE_OUTSIDE_PASSES, ADVICE_CHIP };

/* One way to make a summary fit; the figures are those of its calculation. ADVICE_OUTSIDE_PASSES says why the first three
 * are not offered: no activations are alive at the peak. */
struct train_advice {
    enum train_advice_kind kind;
    bool enough;
    int64_t transient;       /* for a peak in the forward pass: needed temporarily, may shrink with the batch; else 0 */
    int64_t rest;            /* peak without the activations */
    int64_t activations;     /* at the peak */
    int64_t gradients;       /* ADVICE_ACCUMULATE: held between the micro steps */
    uint64_t divisor;        /* batch / divisor, or the factor on the current micro steps */
    size_t steps_now;        /* micro steps that the run already has */
    int64_t result;          /* new peak; ADVICE_RECOMPUTE: activations that may stay; ADVICE_CHIP: memory of the chip */
    const struct chip *chip; /* ADVICE_CHIP */
};

struct train_result {
    const struct train_summary *summary;
    struct slice name;   /* unique within the report */
    int64_t device;      /* that can be allocated for certain */
    int64_t device_most; /* that some builds can allocate; the same where the log or the user gives it */
    enum train_device_from device_from;
    const struct chip *chip;
    VEC(struct train_fold) folds; /* in the order of first appearance */
    size_t *fold_of;              /* per phase */
    int64_t *before;              /* per phase: in use when it starts */
    struct train_size model, optimizer, gradients;
    bool has_activations, has_overhead;
    int64_t activations, overhead; /* of the training step at the peak */
    bool has_peak;
    bool peak_is_lower_bound; /* the summary was cut: later phases may go higher */
    int64_t peak, usage_pct, headroom;
    bool fits;          /* as far as is known */
    bool fits_is_final; /* the peak is final, or already too high for every build */
    bool has_peak_phase;
    size_t peak_phase;
    int64_t parts[TRAIN_PARTS];
    bool parts_measured;  /* model and optimizer are measured, not theoretical */
    int64_t parts_excess; /* by how much the parts exceed the peak; 0: they do not */
    VEC(struct train_disagreement) disagreements;
    VEC(struct train_advice) advice; /* empty when it fits */
};

/* Two summaries of one report; `saved` is what the lower peak saves. */
struct train_comparison {
    size_t lower, higher;
    int64_t saved;
    int64_t parts[TRAIN_PARTS]; /* lower - higher */
};

struct train_report {
    VEC(struct train_result) results;
    VEC(struct train_comparison) comparisons; /* every summary against the one with the highest peak */
    struct arena arena;
};

void train_analyze(struct train_report *report, const struct train_log *log, const struct train_options *options);
void train_report_release(struct train_report *report);

/* The name without _micro_<n> and __<sequence> at its end. */
struct slice train_fold_name(struct slice name);

/* Thousandths of a percent, rounded once to hundredths, as percentages are shown. 0 when `whole` is not positive. */
int64_t train_percent(int64_t part, int64_t whole);

/* What can be allocated on one chip, by every usual build and by the one that sets aside least. Summaries count per chip: a
 * mesh buffer is one event with the size that each chip holds. */
static inline uint64_t train_chip_bytes(const struct chip *chip) { return chip->dram_banks * chip_least_dram_bank_bytes(chip); }
static inline uint64_t train_chip_most_bytes(const struct chip *chip) { return chip->dram_banks * chip_dram_bank_bytes(chip); }

/* In train_fit.c: fills fits, headroom, advice of a result; and the comparisons of a report. */
void train_fit(struct train_result *result);
void train_compare(struct train_report *report);

#endif
