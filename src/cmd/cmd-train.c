/* SPDX-License-Identifier: Apache-2.0 */
/* ttmem train: memory summaries of training runs against theory and against the device; also called analyze_memory. */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/size.h"
#include "input/kinds.h"
#include "input/log_files.h"
#include "cmd/line/cmd.h"
#include "cmd/line/emit.h"
#include "render/train/train.h"
#include "render/train/train_chart.h"
#include "source/source.h"

#define PEAK_PICTURE "memory_peak_visualization.png"
#define TIMELINE_PICTURE "memory_timeline_visualization.png"

/* Reads a log, compressed or not, into the train_log. */
static int read_log(const struct invocation *inv, struct train_log *log, const char *path, struct err *err) {
    enum { BLOCK = 1 << 18 };
    struct source source;
    if (source_open(&source, path, err) != 0) return -1;
    int64_t n = 0;
    if (source.mapped) {
        train_parse(log, slice_from(path), source.bytes);
    } else {
        struct train_reader *reader = train_reader_new(log, slice_from(path));
        while ((n = source_read(&source, train_reader_room(reader, BLOCK), BLOCK, err)) > 0)
            train_reader_took(reader, (size_t)n);
        train_reader_finish(reader);
    }
    if (source.cut) work_note(&inv->work, "%s ends early or is damaged; what comes before that was read", path);
    work_note_change(&inv->work, &source);
    source_release(&source);
    return n == 0 ? 0 : -1;
}

#define HOW_TO_GET_ONE \
    "train with --track_memory, or call MemoryUsageTracker's begin_capture, snapshot, end_capture and print_memory_usage"

/* The given paths, with folders replaced by the logs in them. */
static int list_logs(const struct args *args, struct log_files *logs, struct err *err) {
    size_t named = args_count(args, "logs"), count = named + args->words.len;
    for (size_t i = 0; i < count; i++) {
        const char *word = i < named ? args_nth(args, "logs", i) : args->words.items[i - named];
        struct log_files own = {0};
        log_files_list(&own, &word, 1);
        if (!own.items.len) {
            const struct input_kind *kind = kind_of_folder(word);
            return err_set(err, ERR_LACKS, "%s is a folder without a log (*.log, *.txt, *.out, *.err)%s%s", word,
                           kind ? ": it is " : "", kind ? kind->name : "");
        }
        for (size_t k = 0; k < own.items.len; k++) vec_push(&logs->items, own.items.items[k]);
        own.items.len = 0;
        log_files_release(&own);
    }
    return count ? 0 : err_set(err, ERR_USAGE, "no log given; usage: ttmem train FILE...");
}

/* Files without a summary, of several: `first[i]` is the number of summaries before file i. */
static void note_empty_logs(const struct invocation *inv, const struct train_log *log, const size_t *first,
                            const struct log_files *logs) {
    size_t count = logs->items.len;
    for (size_t i = 0; i < count; i++)
        if ((i + 1 < count ? first[i + 1] : log->summaries.len) == first[i])
            work_note(&inv->work, "no memory usage summary in %s; " HOW_TO_GET_ONE, logs->items.items[i].path);
}

/* `logs` owns the names that `log` points to. */
static int read_logs(const struct invocation *inv, struct log_files *logs, struct train_log *log, struct err *err) {
    VEC(size_t) first = {0};
    int rc = list_logs(&inv->args, logs, err);
    for (size_t i = 0; rc == 0 && i < logs->items.len; i++) {
        vec_push(&first, log->summaries.len);
        rc = read_log(inv, log, logs->items.items[i].path, err);
    }
    if (rc == 0 && log->summaries.len) note_empty_logs(inv, log, first.items, logs);
    vec_release(&first);
    const char *found = log->captured_nothing  ? "; the tracker was asked to print but had captured nothing"
                        : log->empty_heads > 0 ? "; there is the head of one, but nothing after it"
                                               : "";
    if (rc == 0 && !log->summaries.len)
        rc = err_set(err, ERR_LACKS, "no memory usage summary in %s%s; " HOW_TO_GET_ONE,
                     logs->items.len == 1 ? logs->items.items[0].path : "these logs", found);
    return rc;
}

static int read_size(const struct args *args, const char *name, bool *has, uint64_t *bytes, struct err *err) {
    const char *text = args_text(args, name);
    *has = text != NULL;
    if (!text || (size_read(slice_from(text), bytes) && *bytes)) return 0;
    return err_set(err, ERR_USAGE, "--%s takes a size such as 12GB, 1863.25MB or 969369600*2, not '%s'", name, text);
}

static int read_chip(const struct args *args, const struct chip **chip, struct err *err) {
    const char *text = args_text(args, "device");
    return text ? chip_choose(text, chip, err) : 0;
}

static int read_options(struct train_options *o, const struct args *args, struct err *err) {
    o->use_actual_sizes = args_has(args, "use-actual-sizes");
    if (read_size(args, "device-memory", &o->has_device, &o->device_bytes, err) != 0) return -1;
    if (read_size(args, "model-size", &o->has_model, &o->model_bytes, err) != 0) return -1;
    if (read_size(args, "optimizer-size", &o->has_optimizer, &o->optimizer_bytes, err) != 0) return -1;
    if (read_size(args, "gradients-size", &o->has_gradients, &o->gradients_bytes, err) != 0) return -1;
    return read_chip(args, &o->chip, err);
}

static bool ends_in(const char *path, struct slice ending) {
    size_t len = strlen(path);
    return len >= ending.len && strncasecmp(path + len - ending.len, ending.ptr, ending.len) == 0;
}

enum picture { NO_PICTURE, PICTURE_PNG, PICTURE_SVG, PICTURE_HTML };

static enum picture picture_of(const char *path) {
    static const struct {
        struct slice ending;
        enum picture picture;
    } rows[] = {{SLICE(".png"), PICTURE_PNG},
                {SLICE(".svg"), PICTURE_SVG},
                {SLICE(".html"), PICTURE_HTML},
                {SLICE(".htm"), PICTURE_HTML}};
    for (size_t i = 0; path && i < sizeof rows / sizeof *rows; i++)
        if (ends_in(path, rows[i].ending)) return rows[i].picture;
    return NO_PICTURE;
}

/* What was requested: the report's format and place, the pictures and their file. */
struct plan {
    const struct train_format *format;
    const char *report_path; /* NULL: stdout */
    bool peak, timeline, chart;
    bool timeline_file; /* with --chart the timeline goes to the terminal, and to a file only if one is named */
    const char *picture_path;
    struct slice title;
};

static int make_plan(struct plan *plan, const struct args *args, struct err *err) {
    const char *format = args_has(args, "json") ? "json" : args_text(args, "format"), *output = args_text(args, "output");
    for (plan->format = train_formats; format && plan->format->name && strcmp(plan->format->name, format) != 0;) plan->format++;
    const char *title = args_text(args, "title");
    plan->title = title ? slice_from(title) : SLICE("Peak DRAM usage");
    plan->timeline = args_has(args, "timeline");
    plan->chart = args_has(args, "chart");
    plan->timeline_file = plan->timeline && (!plan->chart || picture_of(output));
    plan->peak = args_has(args, "visualize-peak") || (picture_of(output) && !plan->timeline);
    if (picture_of(output)) plan->picture_path = output;
    else if (output && (plan->format != train_formats || !(plan->peak || plan->timeline_file))) plan->report_path = output;
    else if (output && strcmp(output, "-") != 0)
        return err_set(err, ERR_USAGE, "a picture is written as .png, .svg or .html, not '%s'", output);
    if (!plan->picture_path) plan->picture_path = plan->peak ? PEAK_PICTURE : TIMELINE_PICTURE;
    return 0;
}

static int write_file(const struct invocation *inv, const char *path, struct slice bytes, struct err *err) {
    if (outfile_put(path, bytes, err) != 0) return -1;
    work_note(&inv->work, "wrote %s", path);
    return 0;
}

static int write_pictures(const struct invocation *inv, const char *path, struct slice title, struct scene *scenes,
                          size_t count, struct err *err) {
    struct strbuf bytes = {0};
    int rc = 0;
    switch (picture_of(path)) {
        case PICTURE_PNG:
            rc = scene_png(&bytes, scenes, err);
            break;
        case PICTURE_SVG:
            scene_svg(&bytes, scenes);
            break;
        default:
            scenes_html(&bytes, title, scenes, count);
            break;
    }
    if (rc == 0) rc = write_file(inv, path, strbuf_slice(&bytes), err);
    strbuf_release(&bytes);
    return rc;
}

/* memory.png -> memory_timeline.png, for the second picture of two. */
static void timeline_path(struct strbuf *out, const char *path) {
    const char *dot = strrchr(path, '.');
    strbuf_add(out, slice_between(path, dot));
    strbuf_addf(out, "_timeline%s", dot);
}

static void note_left_out(const struct invocation *inv, const char *picture, struct chart_left_out left_out) {
    if (left_out.runs) work_note(&inv->work, "%s has no room for the last %zu summaries", picture, left_out.runs);
    if (left_out.steps)
        work_note(&inv->work, "%s leaves out %zu phases; those that set the peaks are drawn", picture, left_out.steps);
}

static int draw(const struct invocation *inv, const struct plan *plan, const struct bar_chart *bars,
                const struct step_chart *steps, struct err *err) {
    struct scene scenes[2] = {{0}, {0}};
    size_t count = 0;
    if (plan->peak) note_left_out(inv, "the picture of the peaks", bar_chart_draw(&scenes[count++], bars));
    if (plan->timeline_file) note_left_out(inv, "the timeline", step_chart_draw(&scenes[count++], steps));
    int rc = 0;
    if (count) rc = write_pictures(inv, plan->picture_path, plan->title, scenes, count, err);
    if (rc == 0 && count == 2 && picture_of(plan->picture_path) != PICTURE_HTML) {
        struct strbuf path = {0};
        timeline_path(&path, plan->picture_path);
        rc = write_pictures(inv, strbuf_text(&path), plan->title, &scenes[1], 1, err);
        strbuf_release(&path);
    }
    scene_release(&scenes[0]);
    scene_release(&scenes[1]);
    return rc;
}

/* The charts come before the text; JSON and markdown have none. */
static int report_out(const struct invocation *inv, const struct plan *plan, const struct train_report *report,
                      const struct bar_chart *bars, const struct step_chart *steps, struct err *err) {
    const struct term no_term = {.utf8 = true};
    const struct term *term = plan->report_path ? &no_term : &inv->work.out;
    struct strbuf text = {0};
    if (plan->chart && plan->format == train_formats) {
        if (!plan->timeline || plan->peak) bar_chart_print(&text, bars, term);
        if (plan->timeline && plan->peak) strbuf_addc(&text, '\n');
        if (plan->timeline) step_chart_print(&text, steps, term);
        strbuf_addc(&text, '\n');
    }
    plan->format->render(&text, report, term);
    int rc = plan->report_path && strcmp(plan->report_path, "-") != 0
                 ? write_file(inv, plan->report_path, strbuf_slice(&text), err)
                 : emit_to(inv, NULL, strbuf_slice(&text), plan->format == train_formats, err);
    strbuf_release(&text);
    return rc;
}

static uint64_t wrapped_figures(const struct train_summary *summary) {
    uint64_t count = 0;
    for (size_t i = 0; i < summary->phases.len; i++)
        for (enum train_figure f = TRAIN_L1_CB; f < TRAIN_FIGURES; f++) count += train_wrapped(&summary->phases.items[i], f);
    return count;
}

static void notes(const struct invocation *inv, const struct train_report *report, const struct train_log *log) {
    size_t assumed = 0, disagreements = 0;
    uint64_t too_large = 0, wrapped = 0;
    for (size_t i = 0; i < report->results.len; i++) {
        assumed += report->results.items[i].device_from == DEVICE_DEFAULT;
        disagreements += report->results.items[i].disagreements.len;
        too_large += report->results.items[i].summary->too_large;
        wrapped += wrapped_figures(report->results.items[i].summary);
    }
    if (assumed)
        work_note(&inv->work, "%s; that of an n150 is assumed: --device p150, ... or --device-memory changes that",
                  log->device_is_zero ? "the log gives the device memory as 0 MB, which cannot be right"
                                      : "the log does not name the device memory");
    if (log->empty_heads)
        work_note(&inv->work, "%llu summary %s without anything after it", (unsigned long long)log->empty_heads,
                  log->empty_heads == 1 ? "head" : "heads");
    if (too_large)
        work_note(&inv->work, "%llu %s too large to be an amount of memory and %s left out", (unsigned long long)too_large,
                  too_large == 1 ? "figure is" : "figures are", too_large == 1 ? "is" : "are");
    if (wrapped)
        work_note(&inv->work, "%llu L1 %s wrapped: a counter went below 0, so the amount is not known",
                  (unsigned long long)wrapped, wrapped == 1 ? "figure" : "figures");
    if (disagreements)
        work_note(&inv->work, "%zu %s not follow from the lines before", disagreements,
                  disagreements == 1 ? "figure does" : "figures do");
}

static int run(struct invocation *inv, struct err *err) {
    struct train_options options = {0};
    struct plan plan = {0};
    if (read_options(&options, &inv->args, err) != 0 || make_plan(&plan, &inv->args, err) != 0) return -1;
    struct train_log log = {0};
    struct train_report report = {0};
    struct bar_chart bars = {0};
    struct step_chart steps = {0};
    struct log_files logs = {0};
    int rc = read_logs(inv, &logs, &log, err);
    if (rc == 0) {
        train_analyze(&report, &log, &options);
        train_peak_chart(&bars, &report, plan.title);
        train_timeline_chart(&steps, &report, args_has(&inv->args, "title") ? plan.title : SLICE("DRAM by training phase"));
        notes(inv, &report, &log);
        rc = report_out(inv, &plan, &report, &bars, &steps, err);
    }
    if (rc == 0) rc = draw(inv, &plan, &bars, &steps, err);
    bar_chart_release(&bars);
    step_chart_release(&steps);
    train_report_release(&report);
    train_log_release(&log);
    log_files_release(&logs);
    return rc;
}

static const struct option options[] = {
    {"logs", 0, OPTION_LIST, "FILE", "another spelling of FILE|FOLDER: a training log or a folder of them (- is stdin)"},
    OPTION_DEVICE("n150, n300, p100, p150, ...: the memory of one of its chips"),
    {"device-memory", 0, OPTION_TEXT, "SIZE", "device memory that can be allocated: bytes, 12GB, 1863.25MB, 969369600*2"},
    {"model-size", 0, OPTION_TEXT, "SIZE", "expected model size (2 bytes per parameter of the log)"},
    {"optimizer-size", 0, OPTION_TEXT, "SIZE", "expected optimizer state (2 x model size)"},
    {"gradients-size", 0, OPTION_TEXT, "SIZE", "expected gradients (model size)"},
    {"use-actual-sizes", 0, OPTION_FLAG, NULL, "measured model and optimizer in the breakdown and the pictures"},
    {"visualize-peak", 0, OPTION_FLAG, NULL, "draw what the peak is made of, to --output (" PEAK_PICTURE ")"},
    {"timeline", 0, OPTION_FLAG, NULL, "draw memory by phase, to --output (" TIMELINE_PICTURE ")"},
    {"chart", 0, OPTION_FLAG, NULL, "draw in the terminal"},
    {"title", 0, OPTION_TEXT, "TEXT", "title of the pictures"},
    {"format", 0, OPTION_TEXT, "text|markdown|json", "how the report is printed (text)"},
    OPTION_JSON,
    {"output", 'o', OPTION_TEXT, "FILE", "picture (.png, .svg, .html) or report (any other name)"},
    OPTIONS_END,
};

const struct command cmd_train = {
    .name = "train",
    .summary = "Compare the memory of training runs with theory",
    .synopsis = "FILE|FOLDER [FILE...] [options]",
    .details =
        "Reads the summaries that tt-train prints with --track_memory. Shows model, optimizer, activations, gradients and peak "
        "of each, whether it fits and what would make it fit, and what one run saves against another. DRAM is over all banks "
        "of a chip, in MB. The exit status is 0 even when a run does not fit: the report says so.",
    .example = "ttmem train train.log --device n150 --visualize-peak",
    .options = options,
    .max_words = 10000,
    .run = run,
};
