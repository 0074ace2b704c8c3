/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/budget.h"

#include <fnmatch.h>
#include <stdio.h>

#include "base/num.h"
#include "base/size.h"
#include "base/strbuf.h"

static struct slice skip_blanks(struct slice s) {
    while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t')) s = slice_skip(s, 1);
    return s;
}

static bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_'; }

static int unknown_measure(struct slice name, struct err *err) {
    struct strbuf names = {0};
    for (const struct measure *m = measure_table; m->name; m++) strbuf_addf(&names, "%s%s", names.len ? ", " : "", m->name);
    err_set(err, ERR_USAGE, "unknown measure '%.*s'; known are %s", (int)(name.len < 60 ? name.len : 60), name.ptr,
            strbuf_text(&names));
    strbuf_release(&names);
    return -1;
}

/* "80%", "64MB", "12", "+2%", "-1MB". */
static int read_limit(struct rule *rule, struct slice text, struct err *err) {
    struct slice all = text;
    bool relative = text.len && (text.ptr[0] == '+' || text.ptr[0] == '-'), negative = relative && text.ptr[0] == '-';
    if (relative) text = slice_skip(text, 1);
    uint64_t n = 0;
    bool good = false, share = text.len && text.ptr[text.len - 1] == '%';
    if (share) {
        struct slice digits = slice_trim(slice_take(text, text.len - 1));
        good = digits.len && num_read_thousandths(digits, &n) == digits.len;
    } else if (rule->measure->is_count) {
        good = text.len && num_read_u64(text, &n) == text.len;
    } else {
        good = size_read(text, &n);
        /* 64 could be bytes, MB or a percentage: the unit must be given */
        if (good && n && text.ptr[text.len - 1] >= '0' && text.ptr[text.len - 1] <= '9')
            return err_set(err, ERR_USAGE, "'%.*s' has no unit: write %.*s%%, %.*sMB, %.*sKB or %.*sB (%s)",
                           (int)(all.len < 60 ? all.len : 60), all.ptr, (int)(all.len < 60 ? all.len : 60), all.ptr,
                           (int)(all.len < 60 ? all.len : 60), all.ptr, (int)(all.len < 60 ? all.len : 60), all.ptr,
                           (int)(all.len < 60 ? all.len : 60), all.ptr, rule->measure->name);
    }
    if (!all.len)
        return err_set(err, ERR_USAGE, "%s has no limit: write %s=LIMIT, like 80%%, 900MB, +2%% or +10MB", rule->measure->name,
                       rule->measure->name);
    if (!good || n > INT64_MAX / 200000)
        return err_set(err, ERR_USAGE, "'%.*s' is not a limit: give a number with a unit, like 80%%, 900MB, +2%% or +10MB (%s)",
                       (int)(all.len < 60 ? all.len : 60), all.ptr, rule->measure->name);
    rule->limit = share ? relative ? LIMIT_MORE_SHARE : LIMIT_SHARE : relative ? LIMIT_MORE_AMOUNT : LIMIT_AMOUNT;
    rule->amount = negative ? -(int64_t)n : (int64_t)n;
    return 0;
}

static void keep_text(struct budget *budget, struct rule *rule, const char *verb, struct slice name, struct slice limit) {
    struct strbuf text = {0};
    strbuf_addf(&text, "%s %.*s %.*s", verb, SLICE_FMT(name), SLICE_FMT(limit));
    rule->text = arena_copy(&budget->arena, strbuf_slice(&text));
    strbuf_release(&text);
}

/* Splits "name sign limit"; the sign may be =, >, <, >=, <= or blank. */
static int read_rule(struct budget *budget, struct rule *rule, struct slice text, struct slice *sign, struct err *err) {
    text = slice_trim(text);
    struct slice name = text;
    name.len = 0;
    while (name.len < text.len && is_name(text.ptr[name.len])) name.len++;
    rule->measure = measure_find(name);
    if (!rule->measure) return unknown_measure(name.len ? name : text, err);
    struct slice rest = skip_blanks(slice_skip(text, name.len));
    *sign = slice_take(rest, 0);
    while (sign->len < rest.len && strchr("=<>", rest.ptr[sign->len])) sign->len++;
    struct slice limit = slice_trim(slice_skip(rest, sign->len));
    if (read_limit(rule, limit, err) != 0) return -1;
    keep_text(budget, rule, rule->kind == RULE_MIN ? "min" : "max", name, limit);
    return 0;
}

static bool is_about_the_same(const struct rule *a, const struct rule *b) {
    bool against = a->limit >= LIMIT_MORE_AMOUNT, against_too = b->limit >= LIMIT_MORE_AMOUNT;
    return a->kind == b->kind && a->measure == b->measure && against == against_too;
}

/* Replaces rules of an earlier section, or of the file, and adds to those of its own section. The same rule twice counts
 * once. */
static void push_rule(struct budget *budget, struct rule rule) {
    rule.section = budget->section;
    size_t kept = 0;
    bool put = false;
    for (size_t i = 0; i < budget->rules.len; i++) {
        struct rule old = budget->rules.items[i];
        bool equal = old.limit == rule.limit && old.amount == rule.amount && old.equal_breaks == rule.equal_breaks;
        bool goes = is_about_the_same(&old, &rule) && (old.section != rule.section || equal);
        if (goes && put) continue;
        budget->rules.items[kept++] = goes ? rule : old;
        put |= goes;
    }
    budget->rules.len = kept;
    if (!put) vec_push(&budget->rules, rule);
}

int budget_add(struct budget *budget, enum rule_kind kind, struct slice text, struct err *err) {
    struct rule rule = {.kind = kind};
    struct slice sign;
    if (read_rule(budget, &rule, text, &sign, err) != 0) return -1;
    if (sign.len && !slice_equal(sign, SLICE("=")))
        return err_set(err, ERR_USAGE, "'%.*s': write MEASURE=LIMIT", (int)(text.len < 80 ? text.len : 80), text.ptr);
    push_rule(budget, rule);
    return 0;
}

int budget_add_condition(struct budget *budget, struct slice text, struct err *err) {
    struct rule rule = {0};
    size_t less = slice_find_byte(text, '<'), more = slice_find_byte(text, '>');
    if ((less == SLICE_NONE) == (more == SLICE_NONE))
        return err_set(err, ERR_USAGE, "'%.*s' is not a condition: write 'dram.peak > +2%%' or 'dram.largest_free < 64MB'",
                       (int)(text.len < 80 ? text.len : 80), text.ptr);
    rule.kind = less == SLICE_NONE ? RULE_MAX : RULE_MIN;
    struct slice sign;
    if (read_rule(budget, &rule, text, &sign, err) != 0) return -1;
    rule.equal_breaks = sign.len == 2 && sign.ptr[1] == '=';
    if (sign.len > 2 || (sign.len == 2 && !rule.equal_breaks) || !sign.len || sign.ptr[0] == '=')
        return err_set(err, ERR_USAGE, "'%.*s': use >, <, >= or <=", (int)(text.len < 80 ? text.len : 80), text.ptr);
    push_rule(budget, rule);
    return 0;
}

void budget_add_no_failure(struct budget *budget, bool any) {
    push_rule(budget, (struct rule){.kind = RULE_NO_FAILURE,
                                    .measure = measure_find(any ? SLICE("failures_any") : SLICE("failures")),
                                    .text = any ? SLICE("no-failure any") : SLICE("no-failure")});
}

/* Does the section's pattern match the run's name? "model NAME" and NAME are the same. */
static bool section_fits(struct budget *budget, struct slice head, struct slice name) {
    if (slice_starts(head, SLICE("model "))) head = slice_trim(slice_skip(head, 6));
    return fnmatch(arena_text(&budget->arena, head), arena_text(&budget->arena, name), 0) == 0;
}

static int read_line(struct budget *budget, struct slice line, struct err *err) {
    bool any = slice_equal(line, SLICE("no-failure any"));
    if (any || slice_equal(line, SLICE("no-failure"))) {
        budget_add_no_failure(budget, any);
        return 0;
    }
    if (slice_starts(line, SLICE("max ")) || slice_starts(line, SLICE("min ")))
        return budget_add(budget, line.ptr[1] == 'a' ? RULE_MAX : RULE_MIN, slice_skip(line, 4), err);
    return err_set(err, ERR_USAGE, "a rule is max MEASURE LIMIT, min MEASURE LIMIT, no-failure or no-failure any, not '%.*s'",
                   (int)(line.len < 60 ? line.len : 60), line.ptr);
}

int budget_read(struct budget *budget, struct slice text, const char *path, struct slice run_name, struct err *err) {
    bool applies = true;
    struct budget unused = {0};
    const char *kept = arena_text(&budget->arena, slice_from(path));
    int rc = 0;
    budget->section = 1;
    for (uint32_t number = 1; rc == 0 && text.len; number++) {
        size_t end = slice_find_byte(text, '\n');
        struct slice line = end == SLICE_NONE ? text : slice_take(text, end);
        text = end == SLICE_NONE ? slice_skip(text, text.len) : slice_skip(text, end + 1);
        if (line.len && line.ptr[line.len - 1] == '\r') line.len--;
        size_t hash = slice_find_byte(line, '#');
        line = slice_trim(hash == SLICE_NONE ? line : slice_take(line, hash));
        if (!line.len) continue;
        struct err inner = {0};
        if (line.ptr[0] == '[') {
            if (line.ptr[line.len - 1] != ']') {
                rc = err_set(err, ERR_USAGE, "%s:%u: the section has no ]", path, number);
                break;
            }
            budget->section++;
            applies = section_fits(budget, slice_trim(slice_of(line.ptr + 1, line.len - 2)), run_name);
            continue;
        }
        /* rules of other sections are checked too: a mistake shows before it matters */
        struct budget *into = applies ? budget : &unused;
        if (read_line(into, line, &inner) != 0) {
            rc = err_set(err, ERR_USAGE, "%s:%u: %.900s", path, number, inner.text);
            break;
        }
        for (size_t i = 0; i < into->rules.len; i++)
            if (!into->rules.items[i].file && applies) {
                into->rules.items[i].file = kept;
                into->rules.items[i].line = number;
            }
    }
    budget->section = 0;
    budget_release(&unused);
    return rc;
}

void budget_release(struct budget *budget) {
    vec_release(&budget->rules);
    arena_release(&budget->arena);
}

bool budget_needs_baseline(const struct budget *budget) {
    for (size_t i = 0; i < budget->rules.len; i++)
        if (budget->rules.items[i].limit >= LIMIT_MORE_AMOUNT) return true;
    return false;
}

/* whole * milli-percent / 100000, rounded down for a maximum and up for a minimum. */
static int64_t share_of(int64_t whole, int64_t milli_percent, bool up) {
    __int128 scaled = (__int128)whole * milli_percent;
    return (int64_t)((scaled + (up ? 99999 : 0)) / 100000);
}

static int64_t limit_of(const struct rule *rule, const struct judgement *j) {
    bool up = rule->kind == RULE_MIN;
    switch (rule->limit) {
        case LIMIT_AMOUNT:
            return rule->amount;
        case LIMIT_SHARE:
            return share_of(j->value.whole, rule->amount, up);
        case LIMIT_MORE_AMOUNT:
            return j->baseline + rule->amount;
        default:
            return share_of(j->baseline, 100000 + rule->amount, up);
    }
}

static bool breaks(const struct rule *rule, int64_t value, int64_t limit) {
    if (value == limit) return rule->equal_breaks;
    return rule->kind == RULE_MIN ? value < limit : value > limit;
}

/* The limit for a figure of the baseline; one that is not known gives none. */
static int64_t limit_at(const struct rule *rule, const struct judgement *j, int64_t baseline) {
    struct judgement at = *j;
    at.baseline = baseline;
    return baseline == INT64_MIN || baseline == INT64_MAX ? baseline : limit_of(rule, &at);
}

/* Why a rule is not judged whose limit only some of the possible figures keep. `worst_breaks`: the figure itself, with the
 * limit that is shown. */
static const char *why_not(const struct rule *rule, const struct judgement *j, bool baseline_bound) {
    const struct measure_value *v = &j->value;
    struct measure_range own = measure_range(rule->measure, v);
    bool of_own = breaks(rule, own.low, j->limit) != breaks(rule, own.high, j->limit);
    if (!of_own && baseline_bound) return "the baseline's value is a bound: the limit may be further off than it shows";
    bool shown_breaks = breaks(rule, v->value, j->limit);
    bool worse_side = (rule->kind == RULE_MIN) == rule->measure->low_is_bad;
    return v->bound && (!v->range || (!shown_breaks && worse_side)) ? v->bound : v->range;
}

struct judgement budget_judge(const struct rule *rule, const struct footprint *run, const struct footprint *baseline) {
    struct judgement j = {.rule = rule, .state = JUDGED_NOT};
    struct measure_range base_range = {0};
    j.value = rule->limit == LIMIT_SHARE ? measure_read_share(rule->measure, run) : measure_read(rule->measure, run);
    if (!j.value.known) {
        j.why = j.value.why;
        return j;
    }
    if (rule->limit == LIMIT_SHARE && !j.value.whole) {
        j.why = "the input does not say how large the memory is: give an amount (800MB), or log memory blocks";
        return j;
    }
    if (rule->limit >= LIMIT_MORE_AMOUNT) {
        if (!baseline) {
            j.why = "the limit is relative to a baseline, and none is given: add --baseline RUN";
            return j;
        }
        struct measure_value base = measure_read(rule->measure, baseline);
        if (!base.known) {
            j.why = "the baseline does not record it";
            return j;
        }
        j.has_baseline = true;
        j.baseline = base.value;
        base_range = measure_range(rule->measure, &base);
    }
    j.limit = limit_of(rule, &j);
    j.margin = rule->kind == RULE_MIN ? j.value.value - j.limit : j.limit - j.value.value;
    struct measure_range own = measure_range(rule->measure, &j.value), limit = {j.limit, j.limit};
    if (j.has_baseline) limit = (struct measure_range){limit_at(rule, &j, base_range.low), limit_at(rule, &j, base_range.high)};
    bool is_min = rule->kind == RULE_MIN;
    bool may_break = breaks(rule, is_min ? own.low : own.high, is_min ? limit.high : limit.low);
    bool must_break = breaks(rule, is_min ? own.high : own.low, is_min ? limit.low : limit.high);
    j.state = must_break ? JUDGED_BREACH : may_break ? JUDGED_NOT : JUDGED_OK;
    int64_t need_limit = j.limit;
    if (rule->limit == LIMIT_SHARE && j.value.of_share && j.value.need_whole)
        need_limit = share_of(j.value.need_whole, rule->amount, false);
    bool needs_more = rule->kind == RULE_MAX && j.value.need > need_limit && rule->limit <= LIMIT_SHARE;
    if (j.state != JUDGED_BREACH && needs_more) {
        j.state = JUDGED_BREACH;
        j.of_need = true;
        j.value.rank = NONE;
        j.limit = need_limit;
        j.value.op = j.value.need_op;
        j.margin = j.limit - j.value.need;
    }
    if (j.state == JUDGED_NOT) j.why = why_not(rule, &j, limit.low != limit.high);
    return j;
}
