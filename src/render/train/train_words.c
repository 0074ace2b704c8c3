/* SPDX-License-Identifier: Apache-2.0 */
#include "render/train/train_words.h"

#include "base/amounts.h"

const struct train_column train_columns[TRAIN_FIGURES] = {
    {TRAIN_SEGMENT_PEAK, "segment_peak_bytes", "segment peak"},
    {TRAIN_ALLOCATIONS, "allocations_bytes", "allocated"},
    {TRAIN_DEALLOCATIONS, "deallocations_bytes", "freed"},
    {TRAIN_CHANGE, "change_bytes", "change"},
    {TRAIN_CUMULATIVE_PEAK, "cumulative_peak_bytes", "peak so far"},
    {TRAIN_CUMULATIVE_CURRENT, "cumulative_current_bytes", "in use"},
    {TRAIN_L1_CB, "peak_cb_bytes", "L1 CBs"},
    {TRAIN_L1_BUFFER, "peak_buffer_bytes", "L1 buffers"},
    {TRAIN_L1_TOTAL, "peak_total_bytes", "L1 total"},
};

const struct train_part_row train_part_rows[TRAIN_PARTS] = {
    [PART_OTHER] = {"unattributed", "Other"},
    [PART_MODEL] = {"weight", "Model Parameters"},
    [PART_GRADIENTS_OVERHEAD] = {"gradient", "Gradients Overhead"},
    [PART_OPTIMIZER] = {"optimizer", "Optimizer State"},
    [PART_ACTIVATIONS] = {"activation", "Activations"},
};

void train_size_rows(const struct train_result *r, struct train_size *activations,
                     struct train_size_row rows[TRAIN_SIZE_ROWS]) {
    *activations = (struct train_size){.has_actual = r->has_activations, .actual = r->activations};
    rows[0] = (struct train_size_row){"Model Size", r->model.expected_given ? "given" : "parameters x 2", &r->model};
    rows[1] =
        (struct train_size_row){"Optimizer State", r->optimizer.expected_given ? "given" : "2 x model size", &r->optimizer};
    rows[2] = (struct train_size_row){"Activations Size", "", activations};
    rows[3] = (struct train_size_row){"Gradients Size", r->gradients.expected_given ? "given" : "model size", &r->gradients};
}

struct figure train_figure_text(const struct train_phase *phase, enum train_figure figure) {
    if (!train_has(phase, figure)) return (struct figure){"-"};
    if (train_wrapped(phase, figure)) return (struct figure){"wrapped"};
    return figure == TRAIN_CHANGE ? figure_change(phase->mb[figure], 2) : figure_milli(phase->mb[figure], 2);
}

struct slice train_phase_name(struct slice name) {
    return name.len ? name : SLICE("(name missing)");
}

void say_device(struct strbuf *out, const struct train_result *r) {
    static const char *const from[] = {
        [DEVICE_OPTION] = "given", [DEVICE_CHIP] = "", [DEVICE_LOG] = "from the log", [DEVICE_DEFAULT] = "assumed"};
    strbuf_addf(out, "device: %s MB can be allocated", figure_milli(r->device, 2).text);
    if (r->device_from == DEVICE_CHIP) strbuf_addf(out, r->chip->chips > 1 ? " (one chip of %s)" : " (%s)", r->chip->name);
    else strbuf_addf(out, " (%s)", from[r->device_from]);
}

void say_fit(struct strbuf *out, const struct train_result *r) {
    if (r->fits && r->peak_is_lower_bound)
        strbuf_addf(out, "fits as far as the summary goes, %s MB free", figure_milli(r->headroom, 2).text);
    else if (r->fits) strbuf_addf(out, "fits, %s MB free", figure_milli(r->headroom, 2).text);
    else
        strbuf_addf(out, "%s, %s MB too much", r->fits_is_final ? "does not fit" : "may not fit",
                    figure_milli(-r->headroom, 2).text);
}

void say_peak_phase(struct strbuf *out, const struct train_result *r) {
    if (!r->has_peak_phase) return;
    const struct train_phase *phase = &r->summary->phases.items[r->peak_phase];
    strbuf_add(out, train_phase_name(phase->name));
    if (train_has(phase, TRAIN_SEGMENT_PEAK))
        strbuf_addf(out, ": %s MB in use before it + %s MB in it", figure_milli(r->before[r->peak_phase], 2).text,
                    figure_milli(phase->mb[TRAIN_SEGMENT_PEAK], 2).text);
}

void say_parts(struct strbuf *out, const struct train_result *r) {
    static const enum train_part order[] = {PART_MODEL, PART_OPTIMIZER, PART_ACTIVATIONS, PART_GRADIENTS_OVERHEAD, PART_OTHER};
    static const char *const names[TRAIN_PARTS] = {"other", "model", "gradients overhead", "optimizer", "activations"};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        strbuf_addf(out, "%s%s %s", i ? ", " : "", names[order[i]], figure_milli(r->parts[order[i]], 2).text);
    strbuf_addz(out, " MB");
    if (r->parts_excess) strbuf_addf(out, "; the parts exceed the peak by %s MB", figure_milli(r->parts_excess, 2).text);
}

static void say_divided(struct strbuf *out, const struct train_result *r, const struct train_advice *a) {
    bool steps = a->kind == ADVICE_ACCUMULATE;
    struct figure rest = figure_milli(a->rest, 2), activations = figure_milli(a->activations, 2);
    strbuf_addz(out, steps ? "gradient accumulation: " : "smaller batch: ");
    if (!a->enough && a->transient) {
        strbuf_addf(out, "at least the %s MB activations shrink", activations.text);
        if (a->gradients) strbuf_addf(out, ", %s MB gradients are kept", figure_milli(a->gradients, 2).text);
        strbuf_addf(out,
                    "; the %s MB that the forward pass needs only for a while may shrink too, the log does not say how much",
                    figure_milli(a->transient, 2).text);
        return;
    }
    if (!a->enough) {
        strbuf_addf(out, "not enough, %s MB stay without any activations", figure_milli(a->rest + a->gradients, 2).text);
        return;
    }
    if (steps && a->steps_now > 1)
        strbuf_addf(out, "%llu micro steps instead of %zu, ", (unsigned long long)(a->divisor * a->steps_now), a->steps_now);
    else strbuf_addf(out, steps ? "%llu micro steps, " : "1/%llu of the present one, ", (unsigned long long)a->divisor);
    strbuf_addf(out, "%s + %s / %llu", rest.text, activations.text, (unsigned long long)a->divisor);
    if (a->gradients) strbuf_addf(out, " + %s gradients kept", figure_milli(a->gradients, 2).text);
    strbuf_addf(out, " = %s MB of %s MB", figure_milli(a->result, 2).text, figure_milli(r->device, 2).text);
}

void say_advice(struct strbuf *out, const struct train_result *r, const struct train_advice *a) {
    switch (a->kind) {
        case ADVICE_RECOMPUTE:
            strbuf_addz(out, "recomputation (memory_efficient): ");
            if (a->enough)
                strbuf_addf(out, "of %s MB activations %s - %s = %s MB may stay", figure_milli(a->activations, 2).text,
                            figure_milli(r->device, 2).text, figure_milli(a->rest, 2).text, figure_milli(a->result, 2).text);
            else strbuf_addf(out, "not enough, %s MB stay without any activations", figure_milli(a->rest, 2).text);
            return;
        case ADVICE_BATCH:
        case ADVICE_ACCUMULATE:
            say_divided(out, r, a);
            return;
        case ADVICE_OUTSIDE_PASSES:
            strbuf_addz(out, "recomputation, a smaller batch and gradient accumulation do not touch this peak: ");
            strbuf_add(out, r->summary->phases.items[r->peak_phase].name);
            strbuf_addz(out, " sets it, not a forward or backward pass");
            return;
        case ADVICE_CHIP:
            strbuf_addf(out, "larger device: on a %s, %s MB can be allocated per chip, %s - %s = %s MB free", a->chip->name,
                        figure_milli(a->result, 2).text, figure_milli(a->result, 2).text, figure_milli(r->peak, 2).text,
                        figure_milli(a->result - r->peak, 2).text);
            return;
    }
}

void say_disagreement(struct strbuf *out, const struct train_disagreement *d) {
    strbuf_addf(out, "line %llu: ", (unsigned long long)d->line);
    if (d->phase.len) {
        strbuf_add(out, d->phase);
        strbuf_addz(out, " ");
    }
    strbuf_addf(out, "%s is %s, recomputed %s (%s MB)", d->what, figure_milli(d->printed, 2).text,
                figure_milli(d->recomputed, 2).text, figure_change(d->printed - d->recomputed, 2).text);
}

void say_comparison(struct strbuf *out, const struct train_report *report, const struct train_comparison *c) {
    const struct train_result *lower = &report->results.items[c->lower], *higher = &report->results.items[c->higher];
    strbuf_add(out, lower->name);
    if (c->saved == 0) strbuf_addz(out, " has the same peak as ");
    else strbuf_addf(out, " saves %s MB at the peak against ", figure_milli(c->saved, 2).text);
    strbuf_add(out, higher->name);
    strbuf_addf(out, " (%s to %s MB)", figure_milli(higher->peak, 2).text, figure_milli(lower->peak, 2).text);
}
