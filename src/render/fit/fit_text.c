/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "analysis/fit/pins.h"
#include "base/amounts.h"
#include "base/utf8.h"
#include "render/fit/fit_report.h"
#include "render/format/warning_words.h"

static void mb(struct strbuf *out, uint64_t bytes) {
    add_mb(out, bytes, 3);
    strbuf_addz(out, " MB");
}

/* Are holes whose places are not known taken as lost? */
static bool loses_holes(const struct fit_trace *t) { return t->follows && t->capacity < t->bank; }

/* How far off a figure may be: rounded up, so that what is shown is never too small. */
static void tolerance(struct strbuf *out, uint64_t bytes) {
    uint64_t milli = (uint64_t)(((unsigned __int128)bytes * 1000 + 1048575) / 1048576);
    strbuf_addz(out, "+-");
    add_milli(out, (int64_t)milli, 3);
    strbuf_addz(out, " MB");
}

static void op_words(struct strbuf *out, const struct term *term, const struct fit_trace *trace, uint32_t place) {
    struct fit_op op;
    trace->op_of(trace, place, &op);
    if (!op.name.len) {
        strbuf_addz(out, op.program.len ? "the allocation of the arguments" : "the start");
        return;
    }
    if (op.index != NONE) strbuf_addf(out, "#%u ", op.index);
    term_text(out, term, op.name, 60);
    if (op.ssa.len) {
        strbuf_addc(out, ' ');
        term_text(out, term, op.ssa, 24);
    }
    if (op.line) strbuf_addf(out, " (line %llu)", (unsigned long long)op.line);
}

static void head(struct strbuf *out, const struct term *term, const struct fit_report *r) {
    const struct fit_trace *t = r->fit->trace;
    term_text(out, term, r->name, 60);
    strbuf_addf(out, ": %s", pool_names[t->pool]);
    if (r->chip) {
        strbuf_addz(out, " of ");
        term_text(out, term, slice_from(r->chip), 0);
    }
    if (t->device_assumed) strbuf_addz(out, " (assumed)");
    const char *unit = r->run ? pool_unit(r->run, t->pool) : "bank";
    if (t->banks) strbuf_addf(out, ", %u %ss of ", t->banks, unit);
    else strbuf_addf(out, ", a %s of ", unit);
    mb(out, t->bank);
    if (r->run && r->run->ranks.len > 1) {
        struct slice rank = run_string(r->run, r->run->ranks.items[r->rank].name);
        strbuf_addz(out, rank.len ? ", rank " : ", lines without a rank");
        term_text(out, term, rank, 24);
    }
    strbuf_addz(out, r->predicted ? "; predicted, nothing ran\n" : "\n");
}

static void failure_words(struct strbuf *out, const struct term *term, const struct fit_trace *t,
                          const struct fit_result *res) {
    strbuf_addz(out, "  does not fit: ");
    if (res->cut && !res->wants) {
        strbuf_addz(out, "the changed program is not followed to its end\n");
        return;
    }
    op_words(out, term, t, res->failed_place);
    strbuf_addz(out, " wants ");
    mb(out, res->wants);
    if (res->failed_pool != t->pool) strbuf_addf(out, " of %s", pool_names[res->failed_pool]);
    if (t->follows) {
        strbuf_addz(out, ", ");
        mb(out, res->largest);
        strbuf_addz(out, " were left in one piece\n");
        return;
    }
    strbuf_addz(out, " in one piece; ");
    mb(out, res->free);
    strbuf_addz(out, " are free, the largest free block is ");
    mb(out, res->largest);
    strbuf_addc(out, '\n');
}

static void nothing_to_change(struct strbuf *out, const struct fit_report *r, bool is_target) {
    if (r->regions.trace.failed || r->regions.l1_small.failed)
        strbuf_addf(out, "nothing has to change in %s; what failed is a region that is set aside, see below\n",
                    pool_names[r->fit->trace->pool]);
    else strbuf_addf(out, "as it is, it %s: nothing has to change\n", is_target ? "reaches the target" : "fits");
}

static void as_it_was(struct strbuf *out, const struct term *term, const struct fit_report *r) {
    const struct fit *fit = r->fit;
    const struct fit_trace *t = fit->trace;
    strbuf_addz(out, r->predicted ? "replay of the program as it is: " : "replay of the run as it was: ");
    mb(out, fit->base.peak);
    strbuf_addz(out, " at ");
    op_words(out, term, t, fit->base.peak_place);
    const char *before = fit->base.fits ? "" : " before that";
    if (t->measured && fit->difference < FIT_LOG_ROUNDING) strbuf_addf(out, ", equal to what was measured%s", before);
    else if (t->measured) {
        strbuf_addf(out, "; measured%s were ", before);
        mb(out, t->measured);
        strbuf_addz(out, ", so every figure below may be off by ");
        mb(out, fit->difference);
    }
    if (fit->base.compared)
        strbuf_addf(out, fit->base.equal == fit->base.compared ? ", all %s buffers where they were" : ", %s buffers",
                    figure_grouped(fit->base.compared).text);
    if (fit->base.compared && fit->base.equal != fit->base.compared)
        strbuf_addf(out, ", %s of them where they were", figure_grouped(fit->base.equal).text);
    if (fit->blocks_off) {
        strbuf_addz(out, ": the largest free block may be off by ");
        mb(out, fit->blocks_off);
        strbuf_addz(out, " in every line below");
    }
    if (t->bounded) {
        strbuf_addf(out, "; of %s buffer%s only a lower bound of the size is known", figure_grouped(t->bounded).text,
                    t->bounded == 1 ? "" : "s");
        if (t->higher) {
            strbuf_addz(out, ": every figure below may be up to ");
            mb(out, t->higher);
            strbuf_addz(out, " higher");
        }
    }
    strbuf_addc(out, '\n');
    if (!fit->base.fits) failure_words(out, term, t, &fit->base);
    if (loses_holes(t)) {
        strbuf_addz(out, "  holes of ");
        mb(out, t->bank - t->capacity);
        strbuf_addz(out, " that were too small are taken as lost: a log does not record where they are\n");
    }
    if (!t->follows) {
        strbuf_addz(out, t->bounded ? "  without holes at least " : "  without holes ");
        mb(out, fit->base.peak);
        strbuf_addz(out, t->bounded ? " would be needed" : " would be enough");
        if (fit->needs && !t->bounded) {
            strbuf_addf(out, "; tt-metal's allocator needs a %s of %s", r->run ? pool_unit(r->run, t->pool) : "bank",
                        fit->needs_less ? "at most " : "");
            mb(out, fit->needs);
        }
        strbuf_addc(out, '\n');
    }
    if (t->pool == POOL_L1 && !(r->run && r->run->l1.told))
        strbuf_addz(out, "  L1 is a lower bound: circular buffers are not in it\n");
    strbuf_addz(out, "target: ");
    uint64_t limit = fit_limit_of(fit, &fit->base);
    if (limit < t->capacity) {
        strbuf_addz(out, "a peak of at most ");
        mb(out, limit);
        strbuf_addf(out, " (%s %%)\n", figure_percent((int64_t)limit, t->bank, 1).text);
    } else {
        uint64_t asked = fit_asked_of(fit, &fit->base);
        bool holes = t->capacity < t->bank;
        if (asked > t->capacity) {
            mb(out, asked);
            strbuf_addf(out, " (%s %%), more than the ", figure_percent((int64_t)asked, t->bank, 1).text);
            mb(out, t->capacity);
            strbuf_addz(out, holes ? " that the holes leave of the bank: " : " of the bank: ");
        }
        strbuf_addz(out, "to fit the bank\n");
    }
    if (!r->tried && fit->set.found && !fit->set.maybe && !fit->set.count) nothing_to_change(out, r, limit < t->capacity);
}

static void cell(struct strbuf *out, struct strbuf *text, size_t width, bool right) {
    size_t fill = text->len < width ? width - text->len : 0;
    if (right) strbuf_fill(out, ' ', fill);
    strbuf_add(out, strbuf_slice(text));
    if (!right) strbuf_fill(out, ' ', fill);
    strbuf_clear(text);
}

static void signed_mb(struct strbuf *out, int64_t bytes, bool plus) {
    if (bytes < 0 || (bytes && plus)) strbuf_addc(out, bytes < 0 ? '-' : '+');
    add_mb(out, (uint64_t)(bytes < 0 ? -bytes : bytes), 3);
}

/* With a target, the question is not whether it fits. */
static bool has_target(const struct fit *fit) { return fit_limit_of(fit, &fit->base) < fit->trace->capacity; }

static const char *const verdict_cells[][FIT_VERDICTS] = {{"  fits    ", "  may fit ", "  no fit  "},
                                                          {"  reached ", "  perhaps ", "  no fit  "}};

/* After the columns; on a terminal, in lines of their own below them. */
static void details(struct strbuf *out, const struct term *term, struct slice text) {
    enum { INDENT = 12 };
    if (term->columns < 80) {
        strbuf_add(out, text);
        return;
    }
    while (text.len && text.ptr[0] == ' ') text = slice_skip(text, 1);
    while (text.len) {
        struct slice line = utf8_fit(text, term->columns - INDENT);
        if (line.len < text.len)
            while (line.len && line.ptr[line.len - 1] != ' ') line.len--;
        if (!line.len) line = text;
        strbuf_addc(out, '\n');
        strbuf_fill(out, ' ', INDENT);
        strbuf_add(out, line);
        text = slice_skip(text, line.len);
    }
}

/* Fits by less than a prediction has been off: true of the replay, but not safe to expect of a device. */
static bool is_tight(const struct fit *fit, const struct fit_result *r) {
    return fit->trace->compiled && r->fits && fit_is_tight(r->margin, r->capacity);
}

/* For another chip the question is whether it fits there: a size that was asked for is about this one. */
static const char *verdict_cell(const struct fit *fit, const struct fit_change *c) {
    enum fit_verdict in_bank = fit_in_bank(fit, &c->result, c->uncertainty),
                     verdict = c->other_device ? in_bank : fit_to_target(fit, &c->result, c->uncertainty);
    bool target = has_target(fit) && !c->other_device;
    if (verdict == FIT_FITS && !target && is_tight(fit, &c->result)) return "  tight   ";
    if (target && verdict == FIT_DOES_NOT_FIT && in_bank != FIT_DOES_NOT_FIT) return "  above   ";
    return verdict_cells[target][verdict];
}

/* "36.8 % of a bank of 4075.427 MB" */
static void part_of_bank(struct strbuf *out, const struct fit_trace *t, const struct fit_result *r) {
    bool holes = loses_holes(t);
    strbuf_addf(out, "%s %% of %s", figure_percent((int64_t)r->peak, r->capacity, 1).text, holes ? "the " : "a bank of ");
    mb(out, r->capacity);
    if (holes) strbuf_addz(out, " of a bank that the holes leave");
}

/* Where the tensor of a change comes from. */
static void maker_words(struct strbuf *out, const struct term *term, const struct fit_trace *trace, uint32_t place) {
    struct fit_op op;
    trace->op_of(trace, place, &op);
    if (op.name.len) {
        strbuf_addz(out, "  made by ");
        op_words(out, term, trace, place);
    } else {
        strbuf_addz(out, op.program.len ? "  an argument" : "  there from the start");
    }
}

static void change_line(struct strbuf *out, const struct term *term, const struct fit_report *r, const struct fit_change *c) {
    struct strbuf text = {0};
    enum fit_verdict verdict = fit_to_target(r->fit, &c->result, c->uncertainty);
    term_tone(out, term, verdict == FIT_FITS ? TONE_GOOD : TONE_PLAIN);
    strbuf_addz(out, verdict_cell(r->fit, c));
    term_tone(out, term, TONE_PLAIN);
    if (c->result.cut) strbuf_addz(&text, "-");
    else add_mb(&text, c->result.peak, 3);
    cell(out, &text, 10, true);
    if (c->result.cut) strbuf_addz(&text, "-");
    else signed_mb(&text, (int64_t)c->result.peak - (int64_t)r->fit->base.peak, true);
    cell(out, &text, 12, true);
    if (c->result.fits && c->result.margin != INT64_MAX) signed_mb(&text, c->result.margin, false);
    else strbuf_addz(&text, "-");
    cell(out, &text, 11, true);
    strbuf_addz(out, c->assumption ? "  estimate  " : "  exact     ");
    term_text(&text, term, slice_from(c->name), 0);
    cell(out, &text, 34, false);
    if (c->place != NONE) maker_words(&text, term, r->fit->trace, c->place);
    if (c->setting) strbuf_addf(&text, "  %s", c->setting);
    if (c->other_device && c->result.fits) {
        strbuf_addz(&text, c->setting ? ", " : "  ");
        part_of_bank(&text, r->fit->trace, &c->result);
    }
    if (c->assumption) strbuf_addf(&text, " [%s]", c->assumption);
    if (c->uncertainty && !c->result.cut) {
        strbuf_addc(&text, ' ');
        tolerance(&text, c->uncertainty + r->fit->difference);
    }
    if (c->result.cut && c->result.wants) strbuf_addf(&text, " (out of %s)", pool_names[c->result.failed_pool]);
    details(out, term, strbuf_slice(&text));
    strbuf_addc(out, '\n');
    strbuf_release(&text);
}

static void not_tried(struct strbuf *out, const struct fit *fit) {
    if (fit->chips_left_out)
        strbuf_addf(out, "  %s other chip%s not tried: the run is long; --try \"on p150\" tries one\n",
                    figure_grouped(fit->chips_left_out).text, fit->chips_left_out == 1 ? " was" : "s were");
    if (fit->left_out)
        strbuf_addf(out, "  %s more of smaller tensors %s not tried\n", figure_grouped(fit->left_out).text,
                    fit->left_out == 1 ? "was" : "were");
}

static void table(struct strbuf *out, const struct term *term, const struct fit_report *r) {
    const struct fit *fit = r->fit;
    size_t all = fit->changes.len, shown = r->limit && r->limit < all ? r->limit : all;
    if (!all && !fit->no_help)
        strbuf_addz(out, "nothing to try: the input does not record what uses the buffers, or what they hold\n");
    else if (!all)
        strbuf_addf(out, "none of the %s changes that were tried brings it nearer\n", figure_grouped(fit->no_help).text);
    if (fit->trace->no_uses)
        strbuf_addz(
            out,
            "freeing earlier is not tried: the input does not record what uses a buffer; graph captures and op lines do\n");
    if (!all) {
        not_tried(out, fit);
        return;
    }
    strbuf_addf(out, "what would change it, each line a replay (MB per %s)\n",
                r->run ? pool_unit(r->run, r->fit->trace->pool) : "bank");
    strbuf_addz(out, has_target(fit) ? "  target  " : "          ");
    strbuf_addz(out, "  new peak      change       room  accuracy  what\n");
    for (size_t i = 0; i < shown; i++) change_line(out, term, r, &fit->changes.items[i]);
    if (shown < all) strbuf_addf(out, "  ... and %zu more; --limit 0 lists all\n", all - shown);
    if (fit->no_help)
        strbuf_addf(out,
                    fit->no_help == 1 ? "  %s more was tried and does not help by itself\n"
                                      : "  %s more were tried and do not help by themselves\n",
                    figure_grouped(fit->no_help).text);
    not_tried(out, fit);
    if (fit->trace->compiled)
        strbuf_addf(
            out,
            "exact: in this replay; in a measured run, the largest free block was %d %% of the bank smaller than predicted, so "
            "less room than that is tight\n",
            100 / FIT_TIGHT_PART);
}

static void set_words(struct strbuf *out, const struct term *term, const struct fit *fit, const struct fit_set *s) {
    for (size_t i = 0; i < s->count; i++) {
        strbuf_addz(out, i ? " + " : "");
        term_text(out, term, slice_from(fit->changes.items[s->changes[i]].name), 0);
    }
    bool above = fit_in_bank(fit, &s->result, s->uncertainty) != FIT_DOES_NOT_FIT;
    if (s->result.cut) {
        strbuf_addz(out, s->maybe ? ": not known\n" : ": does not fit\n");
        return;
    }
    if (has_target(fit) && (s->found || s->maybe))
        strbuf_addz(out, s->found ? ": reaches the target, peak " : ": may reach the target, peak ");
    else
        strbuf_addz(out, s->found && is_tight(fit, &s->result) ? ": fits in the replay, but tightly: peak "
                         : s->found                            ? ": fits, peak "
                         : s->maybe                            ? ": may fit, peak "
                         : above                               ? ": above the target, peak "
                                                               : ": does not fit, peak ");
    mb(out, s->result.peak);
    if (s->count == 1 && s->result.fits && fit->changes.items[s->changes[0]].other_device) {
        strbuf_addz(out, ", ");
        part_of_bank(out, fit->trace, &s->result);
    }
    if (s->result.fits && s->result.margin != INT64_MAX) {
        strbuf_addz(out, ", ");
        mb(out, s->result.margin < 0 ? 0 : (uint64_t)s->result.margin);
        strbuf_addz(out, " of room where it is tightest");
        if (s->found && is_tight(fit, &s->result)) strbuf_addz(out, ", which a device may not have");
    }
    uint64_t off = s->uncertainty + fit->difference;
    if (!s->exact) {
        strbuf_addz(out, "; an estimate");
        if (off) {
            strbuf_addz(out, ", ");
            tolerance(out, off);
        }
        if (fit->trace->higher) {
            strbuf_addz(out, ", or up to ");
            mb(out, off + fit->trace->higher);
            strbuf_addz(out, " higher");
        }
    }
    strbuf_addc(out, '\n');
}

/* Nothing on this chip is certain to be enough. */
static void another_chip(struct strbuf *out, const struct term *term, const struct fit *fit) {
    struct fit_set other;
    if (!fit_enough(fit, &other) || !fit->changes.items[other.changes[0]].other_device) return;
    strbuf_addz(out, "another chip is enough: ");
    term_text(out, term, slice_from(fit->changes.items[other.changes[0]].name), 0);
    strbuf_addz(out, ", ");
    part_of_bank(out, fit->trace, &other.result);
    strbuf_addc(out, '\n');
}

static void smallest(struct strbuf *out, const struct term *term, const struct fit_report *r) {
    const struct fit_set *s = &r->fit->set;
    if (r->tried) {
        strbuf_addz(out, "tried: ");
        set_words(out, term, r->fit, s);
        if (!s->result.fits) failure_words(out, term, r->fit->trace, &s->result);
        return;
    }
    if (fit_was_to_target(r->fit) == FIT_MAY_FIT) strbuf_addz(out, "as it is it may reach the target, which is not certain\n");
    if (s->maybe) {
        strbuf_addz(out, "no set of changes that was tried is certain to reach the target; this one may: ");
        set_words(out, term, r->fit, s);
        another_chip(out, term, r->fit);
        return;
    }
    if (!s->found) {
        bool may = fit_was_to_target(r->fit) == FIT_MAY_FIT;
        strbuf_addf(out, "no set of changes that was tried %s the target\n", may ? "is certain to reach" : "reaches");
        another_chip(out, term, r->fit);
        return;
    }
    if (!s->count) return; /* stands at the top */
    strbuf_addf(out, "the smallest set: ");
    set_words(out, term, r->fit, s);
    if (s->count > 1)
        strbuf_addz(out, s->proven ? "  no smaller set of these changes reaches it: all that could were tried\n"
                                   : "  found step by step: a smaller set may also be enough\n");
}

static void pins_text(struct strbuf *out, const struct term *term, const struct fit_report *r) {
    struct fit_pin pins[FIT_PINS];
    unsigned count = r->fit->base.fits ? 0 : fit_pins_find(r->fit, pins);
    for (unsigned i = 0; i < count; i++) {
        const struct fit_group *group = &r->fit->trace->groups.items[pins[i].group];
        if (!i)
            strbuf_addf(out, "what keeps the holes apart when the request fails (per %s)\n",
                        r->run ? pool_unit(r->run, r->fit->trace->pool) : "bank");
        strbuf_addz(out, "  if ");
        if (group->name.len) term_text(out, term, group->name, 60);
        else op_words(out, term, r->fit->trace, group->place);
        if (pins[i].buffers > 1) strbuf_addf(out, " and %u more", pins[i].buffers - 1);
        strbuf_addz(out, " (");
        mb(out, pins[i].bytes);
        strbuf_addz(out, ") were placed elsewhere, ");
        mb(out, pins[i].joined);
        strbuf_addz(out, " would be free in one piece\n");
    }
}

static void region_line(struct strbuf *out, const char *setting, const char *pool, const struct fit_region *g, bool trace) {
    if (g->asked) {
        strbuf_addf(out, "%s: %s B were asked for, %s are set: set at least as much, ", setting, figure_grouped(g->asked).text,
                    figure_grouped(g->set).text);
        add_bytes(out, g->total);
        strbuf_addf(out, " with %d %% of margin\n", FIT_REGION_MARGIN);
        return;
    }
    if (!g->seen) return;
    if (!g->used) {
        if (!g->bank_bytes) return;
        strbuf_addf(out, "%s: nothing was used of ", setting);
        mb(out, g->bank_bytes);
        strbuf_addf(out, " per bank before or after any op: 0 may be enough and gives it back to %s\n", pool);
        return;
    }
    if (g->unsized) {
        strbuf_addf(out, "%s: at least ", setting);
        add_bytes(out, g->used);
        strbuf_addz(out, " per bank were needed when it failed; its size then is not known: set it to more than that\n");
        return;
    }
    strbuf_addf(out, "%s: ", setting);
    if (g->failed) {
        strbuf_addz(out, "a request failed in ");
        add_bytes(out, g->bank_bytes);
        strbuf_addz(out, " per bank, ");
        add_bytes(out, g->used);
        strbuf_addz(out, " hold it for certain");
    } else {
        mb(out, g->used);
        strbuf_addz(out, " per bank were used at most, of ");
        mb(out, g->bank_bytes);
    }
    strbuf_addf(out, "; with %d %% of margin set it to ", FIT_REGION_MARGIN);
    if (trace) {
        add_bytes(out, g->total);
        strbuf_addz(out, " (before 2026-06-22, when it was per bank, to ");
        add_bytes(out, g->per_bank);
        strbuf_addz(out, ")");
    } else {
        add_bytes(out, g->per_bank);
    }
    strbuf_addf(out, ", which %s ", g->gives_back < 0 ? "takes" : "gives back");
    mb(out, (uint64_t)(g->gives_back < 0 ? -g->gives_back : g->gives_back));
    strbuf_addf(out, " per bank %s %s\n", g->gives_back < 0 ? "from" : "to", pool);
}

static void limit_line(struct strbuf *out, const struct fit *fit, const struct fit_limit *l) {
    if (!l->known) return;
    strbuf_addf(out, "largest %s that %s: %s%llu (now %llu), peak ", l->what, has_target(fit) ? "reaches the target" : "fits",
                l->bounded ? "" : "at least ", (unsigned long long)l->best, (unsigned long long)l->was);
    mb(out, l->peak);
    if (l->bytes_each) {
        strbuf_addz(out, ", about ");
        add_bytes(out, l->bytes_each);
        strbuf_addf(out, " per bank for each %s",
                    strcmp(l->what, "kv_len") == 0 ? "position"
                    : l->in_block                  ? "block"
                                                   : "additional one");
        if (l->in_block) strbuf_addf(out, " of %llu tokens", (unsigned long long)l->in_block);
    }
    if (!l->exact) strbuf_addz(out, "; an estimate");
    if (!l->exact && l->uncertainty) {
        strbuf_addz(out, ", ");
        tolerance(out, l->uncertainty);
    }
    if (!l->exact && l->assumption) strbuf_addf(out, " [%s]", l->assumption);
    strbuf_addc(out, '\n');
}

void fit_report_text(struct strbuf *out, const struct term *term, const struct fit_report *r) {
    if (!r->fit) {
        term_text(out, term, r->name, 60);
        bool region = r->pool == POOL_L1_SMALL || r->pool == POOL_TRACE;
        if (region)
            strbuf_addf(out, ": it ran out of %s, which is a region of its own; what it has to be\n", pool_names[r->pool]);
        else strbuf_addz(out, ": nothing shows how long tensors live, so only what is set aside can be judged\n");
        region_line(out, "trace_region_size", "DRAM", &r->regions.trace, true);
        region_line(out, "l1_small_size", "L1", &r->regions.l1_small, false);
        return;
    }
    head(out, term, r);
    as_it_was(out, term, r);
    if (!r->tried) table(out, term, r);
    smallest(out, term, r);
    if (r->tried) return;
    pins_text(out, term, r);
    for (unsigned i = 0; i < FIT_LIMITS; i++) limit_line(out, r->fit, &r->limits.of[i]);
    if (r->limits.utilization_milli)
        strbuf_addf(out, "gpu_memory_utilization that asks for these caches: %s\n",
                    figure_milli((int64_t)r->limits.utilization_milli, 3).text);
    region_line(out, "trace_region_size", "DRAM", &r->regions.trace, true);
    region_line(out, "l1_small_size", "L1", &r->regions.l1_small, false);
}

bool fit_report_is_certain(const struct fit *fit) {
    struct fit_set enough;
    return fit_enough(fit, &enough) && enough.found;
}

bool fit_report_line(struct strbuf *out, const struct term *term, const struct fit *fit) {
    struct fit_set enough;
    if (!fit_enough(fit, &enough)) return false;
    struct strbuf line = {0};
    set_words(&line, term, fit, &enough);
    if (line.len && line.data[line.len - 1] == '\n') line.len--;
    strbuf_add(out, strbuf_slice(&line));
    strbuf_release(&line);
    return true;
}
