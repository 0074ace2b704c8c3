/* SPDX-License-Identifier: Apache-2.0 */
#include "predict/prediction.h"

#include "base/num.h"
#include "predict/log_submits.h"
#include "predict/move_op.h"

static void read_modules(struct prediction *p) {
    struct map seen = {0};
    p->modules = mem_zalloc(p->forms.programs.len + 1, sizeof *p->modules);
    p->module_of = mem_zalloc(p->forms.programs.len + 1, sizeof *p->module_of);
    for (size_t i = 0; i < p->forms.programs.len; i++) {
        bool added;
        const struct form_program *program = &p->forms.programs.items[i];
        struct hash128 content = hash_bytes(program->text);
        content.low = hash_mix(content.low, program->lines_before);
        uint32_t *id = map_at(&seen, content, &added);
        if (added) {
            *id = (uint32_t)p->count;
            struct ir *ir = &p->modules[p->count++];
            struct scaled scaled;
            ir->lines_before = program->lines_before;
            ir_read(ir, program->text);
            scale_apply(ir, &p->options.scale, &scaled);
            for (uint64_t k = 0; k < p->options.scale.moved_count; k++)
                if (p->options.scale.moved[k] >> 32 == *id) move_op_of_line(ir, p->options.scale.moved[k] & UINT32_MAX);
            scaled_add(&p->scaled, &scaled);
        }
        p->module_of[i] = *id;
    }
    map_release(&seen);
}

/* A log gives the size of its banks to a thousandth of a MB; a failure gives it exactly. */
static void wish_from_log(struct device_wish *wish, const struct run *log) {
    for (size_t i = 0; i < log->configs.len; i++) {
        const struct pool_config *c = &log->configs.items[i];
        if (c->pool != POOL_DRAM || !c->banks || !c->total) continue;
        wish->dram_banks = c->banks;
        wish->dram_bank_bytes = (uint64_t)c->total * NUM_MIB / 1000;
        wish->rounded_size = wish->from_log = true;
        break;
    }
    for (size_t i = 0; i < log->failures.entries.len; i++) {
        const struct failure *f = &log->failures.entries.items[i].failure;
        if (f->kind != FAILURE_OOM || f->pool != FAILURE_DRAM || !failure_knows(f, FAILURE_BANK)) continue;
        if (failure_knows(f, FAILURE_BANKS) && f->number[FAILURE_BANKS] <= 4096)
            wish->dram_banks = (unsigned)f->number[FAILURE_BANKS];
        wish->dram_bank_bytes = f->number[FAILURE_BANK];
        wish->from_log = true;
        wish->rounded_size = false;
        break;
    }
}

bool prediction_replay(struct prediction *p, const struct predict_options *options, struct replay *replay) {
    struct predict_device device;
    device_make(&device, p->count ? p->modules[p->module_of[0]].system_desc : slice_of("", 0), &options->device);
    replay_init(replay, &device, &options->replay);
    if (replay != &p->replay) replay->lent = &p->replay.maps;
    bool fits = true;
    for (size_t i = 0; i < p->forms.programs.len && (fits || options->replay.keep_going); i++)
        fits = replay_program(replay, &p->modules[p->module_of[i]], options->between) && fits;
    return fits;
}

/* No module says whether a process kept inputs and results between its programs; the memory before its submits shows it. */
static void keep_if_nearer(struct prediction *p, const struct run *log) {
    struct predict_options options = p->options;
    struct replay keeping;
    int64_t drop = log_submit_distance(p, log, &p->replay);
    if (drop < 0) return;
    options.between = BETWEEN_KEEP;
    prediction_replay(p, &options, &keeping);
    int64_t keep = log_submit_distance(p, log, &keeping);
    bool nearer = keep >= 0 && keep < drop && keeping.runs.len >= p->replay.runs.len;
    struct replay other = nearer ? p->replay : keeping;
    if (nearer) {
        p->replay = keeping;
        p->replay.lent = NULL;
        p->options = options;
        p->between_from_log = true;
    }
    replay_release(&other);
}

int prediction_make(struct prediction *p, const struct predict_options *options, struct err *err) {
    p->options = *options;
    const struct run *log = p->log = p->log ? p->log : forms_log(&p->forms);
    if (log && !p->options.device.chip && !p->options.device.dram_banks && !p->options.device.dram_bank_bytes)
        wish_from_log(&p->options.device, log);
    read_modules(p);
    for (size_t i = 0; i < p->forms.programs.len; i++) {
        const struct ir *ir = &p->modules[p->module_of[i]];
        const struct ir_function *f = ir_main(ir);
        if (f && (f->op_count || f->argument_count)) continue;
        return err_set(err, ERR_LACKS, "%s has no function that runs on the device: is the file whole?",
                       p->forms.programs.items[i].path);
    }
    if (scale_check(&p->options.scale, &p->scaled, err) != 0) return -1;
    prediction_replay(p, &p->options, &p->replay);
    if (log && !p->options.between_given && p->forms.programs.len > 1) keep_if_nearer(p, log);
    return 0;
}

void prediction_read_again(const struct prediction *p, const struct predict_options *options, struct prediction *made) {
    *made = (struct prediction){.forms = p->forms, .options = *options};
    read_modules(made);
}

bool prediction_again(const struct prediction *p, const struct predict_options *options, struct prediction *made) {
    prediction_read_again(p, options, made);
    return prediction_replay(made, options, &made->replay);
}

void prediction_release_part(struct prediction *p) {
    replay_release(&p->replay);
    for (size_t i = 0; i < p->count; i++) ir_release(&p->modules[i]);
    free(p->modules);
    free(p->module_of);
}

void prediction_release(struct prediction *p) {
    prediction_release_part(p);
    forms_release(&p->forms);
}

bool prediction_fits(const struct prediction *p) { return !p->replay.memory.failures; }

bool prediction_is_cut(const struct prediction *p) { return prediction_replay_is_cut(&p->replay); }

bool prediction_replay_is_cut(const struct replay *r) {
    for (size_t i = 0; i < r->runs.len; i++)
        if (!replay_program_is_whole(&r->runs.items[i])) return true;
    return false;
}

int prediction_not_known(const struct prediction *p, const char *path, struct err *err) {
    bool unsized = false;
    for (size_t i = 0; p && i < p->replay.runs.len; i++) unsized = unsized || p->replay.runs.items[i].unsized;
    if (unsized)
        return err_set(err, ERR_LACKS,
                       "%s has tensors without a layout, or of unknown size, so whether it fits is not known: " FORM_HOW_TO_GET,
                       path);
    return err_set(err, ERR_LACKS,
                   "%s ends before its module does, runs longer than ttmem follows, lacks ops or functions, or has tensors "
                   "of unknown size: whether it fits is not known",
                   path);
}

uint64_t prediction_odd(const struct prediction *p, struct ir_odd *odd) {
    *odd = p->replay.odd;
    for (size_t i = 0; i < p->count; i++) {
        const struct ir_odd *of = &p->modules[i].odd;
        odd->undefined_values += of->undefined_values;
        odd->missing_callees += of->missing_callees;
        odd->cut_ops += of->cut_ops;
        odd->unknown_types += of->unknown_types;
        odd->call_cycles += of->call_cycles;
    }
    return odd->undefined_values + odd->missing_callees + odd->cut_ops + odd->unknown_types + odd->call_cycles;
}

const struct op_state *prediction_place(const struct replay *r, uint64_t place) {
    return place < r->states.len ? &r->states.items[place] : NULL;
}

const struct ir_op *place_op(const struct replay *r, const struct op_state *s) {
    return s->op == IR_NONE ? NULL : &r->runs.items[s->program].ir->ops.items[s->op];
}

const struct tensor_type *prediction_asked(const struct replay *r, const struct memory_failure *failure) {
    const struct op_state *s = prediction_place(r, failure->place);
    const struct ir_op *op = s ? place_op(r, s) : NULL;
    for (uint32_t i = 0; op && i < op->result_count; i++) {
        const struct tensor_type *type = &ir_result_type(r->runs.items[s->program].ir, op, i)->type;
        if (tensor_per_bank_bytes(type, &r->device.geometry) == failure->want) return type;
    }
    return NULL;
}
