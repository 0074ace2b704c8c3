/* SPDX-License-Identifier: Apache-2.0 */
/* A prediction: the programs, the device, and the result of replaying them. */
#ifndef TTMEM_PREDICT_PREDICTION_H
#define TTMEM_PREDICT_PREDICTION_H

#include "replay/engine/replay.h"
#include "predict/ir/forms.h"
#include "predict/scale.h"

struct predict_options {
    struct device_wish device;
    struct replay_options replay;
    struct scale scale;
    enum replay_between between;
    bool between_given;
};

struct prediction {
    struct forms forms;
    struct ir *modules; /* one per form_program; equal texts are read once */
    size_t count;
    size_t *module_of;     /* program -> index into modules */
    const struct run *log; /* of the same programs: given, or one of the files; or NULL */
    struct predict_options options;
    struct scaled scaled; /* of all modules */
    struct replay replay;
    bool between_from_log; /* the log shows that inputs and results were kept */
};

/* Reads the modules of `forms`, which the prediction takes over, and runs them. Returns -1 with ERR_LACKS if there is
 * nothing to run. */
int prediction_make(struct prediction *p, const struct predict_options *options, struct err *err);

/* Replays the same programs with other options; known maps are reused. Returns whether all fit. */
bool prediction_replay(struct prediction *p, const struct predict_options *options, struct replay *replay);

/* Reads the same programs again with other sizes, without replaying; release with prediction_release_part. */
void prediction_read_again(const struct prediction *p, const struct predict_options *options, struct prediction *made);

/* Also reads the same programs again with other sizes. Returns whether all fit; release `made` with prediction_release_part. */
bool prediction_again(const struct prediction *p, const struct predict_options *options, struct prediction *made);
void prediction_release_part(struct prediction *p);

void prediction_release(struct prediction *p);

bool prediction_fits(const struct prediction *p);

/* A program was not followed to its end, lacks parts, or has tensors of unknown size, so nothing is known about the rest of
 * it. */
bool prediction_is_cut(const struct prediction *p);
bool prediction_replay_is_cut(const struct replay *r);

/* Fills the error; returns -1 with ERR_LACKS. The prediction, which may be NULL, says what is missing. */
int prediction_not_known(const struct prediction *p, const char *path, struct err *err);

/* Sums the oddities in the modules' texts; returns their number. */
uint64_t prediction_odd(const struct prediction *p, struct ir_odd *odd);

/* What was running, to be shown. */
const struct op_state *prediction_place(const struct replay *r, uint64_t place);
const struct ir_op *place_op(const struct replay *r, const struct op_state *s); /* NULL: the arguments */

/* The result for which a request failed, by its bytes per bank; NULL: it was for another buffer. */
const struct tensor_type *prediction_asked(const struct replay *r, const struct memory_failure *failure);

#endif
