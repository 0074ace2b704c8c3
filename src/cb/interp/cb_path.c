/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions that hold at the current place, and which of them are the same. */
#include "cb/interp/cb_interp.h"

enum { MAX_KNOWN = 512 };

/* The condition without its negations. */
static const struct val *positive(const struct val *condition, bool *flipped) {
    const struct val *bare = condition;
    *flipped = false;
    for (;;) {
        while (bare->kind == VAL_NAMED) bare = bare->a; /* a conversion to bool does not change the truth */
        if (bare->kind != VAL_OP || bare->op != OP_NOT) return bare;
        *flipped = !*flipped;
        bare = bare->a;
    }
}

static struct branch interp_branch_of(struct interp *in, const struct val *condition) {
    struct branch branch;
    const struct val *bare = positive(condition, &branch.flipped);
    for (size_t i = 0; i < in->known_conditions.len; i++)
        if (val_same(in->known_conditions.items[i].value, bare)) {
            branch.id = in->known_conditions.items[i].id;
            return branch;
        }
    branch.id = in->next_condition++;
    if (in->known_conditions.len < MAX_KNOWN) vec_push(&in->known_conditions, ((struct known_condition){bare, branch.id}));
    return branch;
}

int interp_side_among(const struct interp *in, const struct cb_condition *list, uint32_t n, const struct val *condition) {
    bool flipped;
    const struct val *bare = positive(condition, &flipped);
    for (size_t i = 0; i < in->known_conditions.len; i++) {
        if (!val_same(in->known_conditions.items[i].value, bare)) continue;
        for (uint32_t k = 0; k < n; k++)
            if (list[k].id == in->known_conditions.items[i].id && list[k].sides == 2) return (list[k].which != 0) != flipped;
    }
    return -1;
}

/* Searches a condition that holds, and its parts. */
static int side_in(const struct val *holds, bool truth, const struct val *wanted, unsigned depth) {
    bool flipped;
    const struct val *bare = positive(holds, &flipped);
    if (flipped) truth = !truth;
    if (val_same(bare, wanted)) return truth;
    if (depth > 8 || bare->kind != VAL_OP) return -1;
    bool both = (bare->op == OP_AND && truth) || (bare->op == OP_OR && !truth);
    if (!both) return -1;
    int side = side_in(bare->a, truth, wanted, depth + 1);
    return side >= 0 ? side : side_in(bare->b, truth, wanted, depth + 1);
}

int known_side(const struct interp *in, const struct val *condition) {
    bool flipped;
    const struct val *bare = positive(condition, &flipped);
    for (size_t i = in->path.len; i-- > 0;) {
        if (!in->path.items[i]) continue;
        int side = side_in(in->path.items[i], true, bare, 0);
        if (side >= 0) return flipped ? !side : side;
    }
    return -1;
}

void interp_push_choice(struct interp *in, uint32_t id, uint32_t which, uint32_t sides, struct slice text,
                        const struct val *holds) {
    vec_push(&in->conditions, ((struct cb_condition){id, which != 0, which, sides, text}));
    vec_push(&in->path, holds);
}

void interp_push_side(struct interp *in, const struct val *condition, bool side) {
    struct branch branch = interp_branch_of(in, condition);
    bool flipped;
    const struct val *bare = positive(condition, &flipped);
    interp_push_choice(in, branch.id, flipped ? !side : side, 2, interp_condition_text(in, bare),
                       side ? condition : val_op1(in->arena, OP_NOT, condition));
}

void interp_push_maybe(struct interp *in) {
    interp_push_choice(in, in->next_condition++, 1, 2, SLICE(""), val_free(in->arena, SLICE("...")));
}

void interp_drop_conditions(struct interp *in, size_t len) {
    in->conditions.len = len;
    in->path.len = len;
}

const struct val *interp_path_since(struct interp *in, size_t from) {
    const struct val *all = NULL;
    for (size_t i = from; i < in->path.len; i++) {
        const struct val *one = in->path.items[i] ? in->path.items[i] : val_free(in->arena, SLICE("..."));
        all = all ? val_op2(in->arena, OP_AND, all, one) : one;
    }
    return all;
}

void interp_note_left(struct interp *in, const struct val *condition, const struct val *result) {
    struct cb_frame *frame = in->frame;
    if (!frame) return;
    const struct val *path = interp_path_since(in, frame->conditions);
    const struct val *taken = path ? val_op2(in->arena, OP_AND, path, condition) : condition;
    vec_push(&frame->early, ((struct early_return){taken, result}));
    if (!frame->left) frame->left_at = val_clock();
    frame->left = frame->left ? val_op2(in->arena, OP_OR, frame->left, taken) : taken;
}
