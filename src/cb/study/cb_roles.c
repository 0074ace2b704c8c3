/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/study/cb_roles.h"

static bool fills(const struct kernel_cb_use *use) { return use->ops[KERNEL_PUSH] > 0; }
static bool takes(const struct kernel_cb_use *use) { return use->ops[KERNEL_WAIT] > 0 || use->ops[KERNEL_POP] > 0; }

static bool is_index(const struct kernel_cb_use *use) { return use->index >= 0 && use->index < 64; }

/* Depth of the loops around its innermost pop, from 1; 0: never popped. */
static uint32_t popped_in(const struct kernel_cb_use *use) { return use->ops[KERNEL_POP] ? use->pop_loops + 1 : 0; }

int64_t cb_reused_index(const struct cb_file *file, uint32_t program) {
    int64_t found = -1;
    for (size_t i = 0; i < file->kernels.len; i++) {
        const struct cb_kernel *k = &file->kernels.items[i];
        if (k->program != program) continue;
        const struct kernel_cb_use *least = NULL, *most = NULL;
        bool several = false; /* more than one buffer has the least depth */
        for (size_t u = 0; u < k->facts.uses.len; u++) {
            const struct kernel_cb_use *use = &k->facts.uses.items[u];
            if (!is_index(use) || !takes(use) || fills(use) || use->elsewhere) continue;
            several = least && popped_in(use) == popped_in(least)  ? true
                      : least && popped_in(use) < popped_in(least) ? false
                                                                   : several;
            if (!least || popped_in(use) < popped_in(least)) least = use;
            if (!most || popped_in(use) > popped_in(most)) most = use;
        }
        if (!least || several || popped_in(least) == popped_in(most)) continue;
        if (found >= 0 && found != least->index) return -1; /* the kernels disagree */
        found = least->index;
    }
    return found;
}

/* Filled by one kernel, and emptied by another that fills nothing: an output of the program. */
static bool is_output(const struct cb_file *file, uint32_t program, int64_t index) {
    bool written = false, filled = false;
    for (size_t i = 0; i < file->kernels.len; i++) {
        const struct cb_kernel *k = &file->kernels.items[i];
        if (k->program != program) continue;
        bool fills_any = false, takes_it = false, takes_other = false;
        for (size_t u = 0; u < k->facts.uses.len; u++) {
            const struct kernel_cb_use *use = &k->facts.uses.items[u];
            fills_any |= fills(use);
            takes_it |= use->index == index && takes(use);
            takes_other |= use->index != index && takes(use);
            filled |= use->index == index && fills(use);
        }
        written |= takes_it && !fills_any && !takes_other;
    }
    return written && filled;
}

void cb_roles_set(struct cb_strategy_sizes *sizes, const struct cb_file *file, uint32_t program, int64_t reused) {
    bool streamed = false;
    for (unsigned i = 0; i < sizes->n_buffers; i++) {
        struct cb_sim_buffer *b = &sizes->buffers[i];
        b->has_role = true;
        if (b->index == reused) b->role = CB_OPERAND_B;
        else if (cb_role_of(b->index) == CB_OUTPUT || is_output(file, program, b->index)) b->role = CB_OUTPUT;
        else if (!streamed) b->role = CB_OPERAND_A;
        else b->role = CB_INTERMEDIATE;
        streamed |= b->role == CB_OPERAND_A;
    }
}
