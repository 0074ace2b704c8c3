/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/around/around_lines.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "device/chip.h"
#include "parse/message_text.h"
#include "scan/find_any.h"

/* Every line that matters contains one of these. Buckets, and the four letters that are searched first, are chosen so that
 * the fewest places in logs need a second look. */
static const struct needle needles[] = {
    NEEDLE_IN(0, " --- ", 0),
    NEEDLE_IN(5, "ttnn::", 2),
    NEEDLE_IN(6, ".py::", 1),
    NEEDLE_IN(7, "PASSED", 2),
    NEEDLE_IN(5, "FAILED", 1),
    NEEDLE_IN(2, "OK ]", 0),
    NEEDLE_IN(4, "[ RUN", 0),
    NEEDLE_IN(6, "exit code", 1),
    NEEDLE_IN(6, "exit status", 1),
    NEEDLE_IN(1, "exited with", 2),
    NEEDLE_IN(4, "Traceback", 3),
    NEEDLE_IN(0, "terminate called", 1),
    NEEDLE_IN(3, "Fatal Python", 0),
    NEEDLE_IN(3, "EngineDeadError", 6),
    NEEDLE_IN(3, "ore failed to start", 15),
    NEEDLE_IN(3, "ore initialization failed", 12),
    NEEDLE_IN(3, "ered a fatal error", 7),
    NEEDLE_IN(2, "core dumped", 4),
    NEEDLE_IN(5, "\", line ", 1),
    NEEDLE_IN(1, " Op | ", 0),
    NEEDLE_IN(4, "rchitecture: ", 1),
    NEEDLE_IN(7, "SKIPPED", 0),
    NEEDLE_IN(6, "XFAIL", 0),
    NEEDLE_IN(7, "XPASS", 0),
    NEEDLE_IN(0, "ERROR at ", 1),
    NEEDLE_IN(6, "____ ", 1),
    NEEDLE_IN(1, "_ test", 1),
    NEEDLE_IN(1, "_ Test", 1),
    NEEDLE_IN(0, "_ _ _ _", 1),
    NEEDLE_IN(4, ": in ", 0),
    NEEDLE_IN(4, ": RuntimeError", 0),
    NEEDLE_IN(7, "session starts", 0),
    NEEDLE_IN(7, "s ==", 0),
    NEEDLE_IN(7, "s =\n", 0),
    NEEDLE_IN(5, ") ==", 0),
    NEEDLE_IN(5, ") =\n", 0),
    NEEDLE_IN(4, "no tests ran", 0),
    NEEDLE_IN(6, "passed in ", 2),
    NEEDLE_IN(6, "passed, ", 2),
    NEEDLE_IN(2, " kv caches", 0),
    NEEDLE_IN(3, " chip ids {", 5),
    NEEDLE_IN(3, " devices: (", 4),
    NEEDLE_IN(2, "devices and grid (", 14),
    NEEDLE_IN(3, "\"board_type\": \"", 0),
    NEEDLE_IN(7, "MESH_DEVICE to ", 2),
    NEEDLE_IN(2, "oard type: ", 0),
    NEEDLE_IN(2, "oard: ", 0),
    NEEDLE_IN(3, " devices", 4),
    NEEDLE_IN(3, "luster of type ", 8),
    NEEDLE_IN(6, ">       ", 0),
    NEEDLE_IN(5, "qualified_name='", 3),
    NEEDLE_IN(2, "Buffer ", 3),
    NEEDLE_IN(5, "', shape=", 5),
    AROUND_DROPPED_NEEDLES,
};

/* The same for the readers in around_harness.c. */
static const struct needle ending_needles[] = {
    NEEDLE("   Passed  ", 2), NEEDLE(".***", 0),     NEEDLE("***Exception", 0), NEEDLE("tests passed, ", 5),
    NEEDLE(") ... ", 0),      NEEDLE(") ...\n", 0),  NEEDLE("\nRan ", 0),       NEEDLE("\nok\n", 0),
    NEEDLE("\nERROR\n", 0),   NEEDLE("\nFAIL\n", 0), NEEDLE(": *** [", 2),
};

enum { NEEDLES = sizeof needles / sizeof *needles, ENDING_NEEDLES = sizeof ending_needles / sizeof *ending_needles };

static struct finder finder, ending_finder;

static void make_finders(void) {
    struct needle all[NEEDLES + ENDING_NEEDLES];
    memcpy(all, needles, sizeof needles);
    memcpy(all + NEEDLES, ending_needles, sizeof ending_needles);
    finder_init(&finder, needles, NEEDLES);
    finder_init(&ending_finder, all, NEEDLES + ENDING_NEEDLES);
}

static const struct finder *the_finder(bool endings) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_finders);
    return endings ? &ending_finder : &finder;
}

const char *around_phase_name(enum around_phase phase) {
    static const char *const names[PHASES] = {
        [PHASE_INPUT_UPLOAD] = "input-upload",       [PHASE_WEIGHTS] = "weights",
        [PHASE_TRACE_CAPTURE] = "trace-capture",     [PHASE_KV_CACHE] = "kv-cache",
        [PHASE_PROGRAM_COMPILE] = "program-compile", [PHASE_COMPILE] = "compile",
    };
    return names[phase];
}

/* Functions of tt-mlir's runtime, of tt-metal and of models that identify a phase; the first one in a frame counts. */
static const struct {
    const char *words;
    enum around_phase phase;
} phases[] = {
    {"prepareInputTensor", PHASE_INPUT_UPLOAD},
    {"tt::runtime::toLayout", PHASE_INPUT_UPLOAD},
    {"tt::runtime::ttnn::toLayout", PHASE_INPUT_UPLOAD},
    {"LoadCachedOp", PHASE_WEIGHTS},
    {"load_cached", PHASE_WEIGHTS},
    {"const_eval", PHASE_WEIGHTS},
    {"in load_model", PHASE_WEIGHTS},
    {"in load_weights", PHASE_WEIGHTS},
    {"in load_state_dict", PHASE_WEIGHTS},
    {"TraceCapture", PHASE_TRACE_CAPTURE},
    {"trace_capture", PHASE_TRACE_CAPTURE},
    {"capture_trace", PHASE_TRACE_CAPTURE},
    {"CaptureOrExecuteTraceOp", PHASE_TRACE_CAPTURE},
    {"_capture_trace", PHASE_TRACE_CAPTURE},
    {"MeshTrace::", PHASE_TRACE_CAPTURE},
    {"allocate_kv_cache", PHASE_KV_CACHE},
    {"allocate_vllm_kv_cache", PHASE_KV_CACHE},
    {"_init_cache_engine", PHASE_KV_CACHE},
    {"init_kv_cache", PHASE_KV_CACHE},
    {"initialize_kv_cache", PHASE_KV_CACHE},
    {"initialize_cache", PHASE_KV_CACHE},
    {"validate_circular_buffer_region", PHASE_PROGRAM_COMPILE},
    {"ProgramImpl::compile", PHASE_PROGRAM_COMPILE},
    {"JitBuild", PHASE_PROGRAM_COMPILE},
};

enum { PHASE_WORDS = sizeof phases / sizeof *phases };

static struct finder phase_finder;

static void make_phase_finder(void) {
    struct needle words[PHASE_WORDS];
    for (size_t i = 0; i < PHASE_WORDS; i++)
        words[i] = (struct needle){.text = phases[i].words, .len = (uint8_t)strlen(phases[i].words)};
    finder_init(&phase_finder, words, PHASE_WORDS);
}

/* Hardly any frame contains one of the words, so all are searched at once. */
static bool has_phase_words(struct slice line) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_phase_finder);
    return find_any(&phase_finder, line, 0) != SLICE_NONE;
}

enum around_phase around_phase_of(struct slice line) {
    if (!has_phase_words(line)) return PHASE_NONE;
    for (size_t i = 0; i < PHASE_WORDS; i++)
        if (around_has(line, phases[i].words)) return phases[i].phase;
    return PHASE_NONE;
}

static bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }
static char small(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* ---- tests, Python, the process ---- */

/* The end of a word in a line that may be a JSON string. */
static bool ends_word(char c) { return c == ' ' || c == '\t' || c == '"' || c == '\'' || c == '\\'; }

/* "tests/a/test_x.py::test_y[1-2]" at its place in the line; the text in brackets may contain spaces. */
static struct slice node_id(struct slice line, size_t colons) {
    size_t from = colons, to = colons + 5, depth = 0, first_end = 0;
    while (from && !ends_word(line.ptr[from - 1])) from--;
    for (; to < line.len && (depth || !ends_word(line.ptr[to])); to++) {
        if (!first_end && ends_word(line.ptr[to])) first_end = to;
        depth += line.ptr[to] == '[';
        depth -= line.ptr[to] == ']' && depth;
    }
    return slice_between(line.ptr + from, line.ptr + (depth && first_end ? first_end : to));
}

struct slice around_without_prefix(struct slice line) {
    return slice_skip(line, message_text_prefix(line));
}

/* Is the word all there is, except for the progress ("[ 50%]") and the end of a JSON string? */
static bool stands_alone(struct slice after) {
    after = slice_trim(after);
    return !after.len || after.ptr[0] == '[' || after.ptr[0] == '(' || ends_word(after.ptr[0]);
}

/* pytest -v: "node PASSED [ 5%]", "node" with the word on a later line, "PASSED node" (xdist, summary). */
static bool read_pytest(struct slice line, struct around_line *out) {
    static const struct {
        const char *word;
        enum around_kind kind;
        uint64_t ending;
    } words[] = {{"PASSED", AROUND_TEST_PASSED, 0}, {"XFAIL", AROUND_TEST_PASSED, AROUND_XFAILED},
                 {"XPASS", AROUND_TEST_PASSED, 0},  {"SKIPPED", AROUND_TEST_PASSED, AROUND_SKIPPED},
                 {"FAILED", AROUND_TEST_FAILED, 0}, {"ERROR", AROUND_TEST_FAILED, 0}};
    size_t colons = around_find(line, SLICE(".py::"));
    struct slice node = colons == SLICE_NONE ? slice_of("", 0) : node_id(line, colons), bare = around_without_prefix(line);
    struct slice before = node.len ? slice_between(line.ptr, node.ptr) : slice_of("", 0);
    struct slice after = node.len ? slice_trim(slice_skip(line, before.len + node.len)) : slice_of("", 0);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct slice word = slice_from(words[i].word);
        bool follows = slice_starts(after, word) && stands_alone(slice_skip(after, word.len));
        bool precedes = node.len && slice_ends(slice_trim(before), word);
        bool alone = !node.len && slice_starts(bare, word) && stands_alone(slice_skip(bare, word.len));
        if (!follows && !precedes && !alone) continue;
        bool summary = precedes && (slice_starts(after, SLICE("- ")) || slice_equal(after, SLICE("-")));
        *out = (struct around_line){.kind = words[i].kind, .text = node, .number = words[i].ending, .outer = summary};
        return true;
    }
    if (!node.len || node.ptr > bare.ptr) return false;
    *out = (struct around_line){.kind = AROUND_TEST, .text = node};
    return true;
}

/* "____ test_y[1-2] ____", "_ TestX.test_y _", "____ ERROR at setup of test_y ____": output of a failed test follows. */
static bool read_report(struct slice line, struct around_line *out) {
    static const char *const stages[] = {"ERROR at setup of ", "ERROR at teardown of "};
    struct slice bare = slice_trim(around_without_prefix(line));
    size_t from = 0, to = bare.len;
    while (from < to && bare.ptr[from] == '_') from++;
    while (to > from && bare.ptr[to - 1] == '_') to--;
    if (!from || to == bare.len || to < from + 3 || bare.ptr[from] != ' ' || bare.ptr[to - 1] != ' ') return false;
    struct slice title = slice_of(bare.ptr + from + 1, to - from - 2);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (slice_starts(title, slice_from(stages[i]))) title = slice_skip(title, strlen(stages[i]));
    size_t bracket = slice_find_byte(title, '[');
    struct slice name = slice_take(title, bracket);
    if (!around_has(name, "test") || slice_find_byte(name, ' ') != SLICE_NONE) return false;
    *out = (struct around_line){.kind = AROUND_TEST_REPORT, .text = title};
    return true;
}

const char around_session_words[] = "test session starts";

/* "==== test session starts ====", "==== 2 failed, 1 passed in 12.34s (0:00:12) ====", "==== no tests ran in 0.01s ====";
 * with -q only the counts. */
static bool read_session(struct slice line, struct around_line *out) {
    struct slice bare = slice_trim(around_without_prefix(line));
    bool framed = slice_starts(bare, SLICE("=")) && slice_ends(bare, SLICE("="));
    if (framed && around_has(bare, around_session_words)) {
        out->kind = AROUND_SESSION;
        return true;
    }
    while (framed && bare.len && (bare.ptr[0] == '=' || bare.ptr[0] == ' ')) bare = slice_skip(bare, 1);
    out->kind = AROUND_SESSION_END;
    return (framed && around_has(bare, "no tests ran")) || around_counts(bare, out);
}

/* [ RUN      ] Suite.Name, [       OK ] Suite.Name (5 ms), [  FAILED  ] Suite.Name */
static bool read_gtest(struct slice line, struct around_line *out) {
    static const struct {
        const char *mark;
        enum around_kind kind;
        uint64_t ending;
    } marks[] = {{"[ RUN      ] ", AROUND_TEST, 0},
                 {"[       OK ] ", AROUND_TEST_PASSED, 0},
                 {"[  SKIPPED ] ", AROUND_TEST_PASSED, AROUND_SKIPPED},
                 {"[  FAILED  ] ", AROUND_TEST_FAILED, 0}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t at = around_find(line, slice_from(marks[i].mark));
        if (at == SLICE_NONE) continue;
        struct slice rest = slice_skip(line, at + strlen(marks[i].mark));
        size_t n = 0;
        while (n < rest.len && rest.ptr[n] != ' ' && rest.ptr[n] != ',' && rest.ptr[n] != '\r') n++;
        *out = (struct around_line){.kind = marks[i].kind, .text = slice_take(rest, n), .number = marks[i].ending};
        return n > 0;
    }
    return false;
}

/* "make: *** [Makefile:3: run] Error 2" */
static bool read_make(struct slice line, struct around_line *out) {
    struct slice words = SLICE("] Error ");
    size_t mark = around_find(line, SLICE(": *** [")), at = around_find(line, words);
    if (mark == SLICE_NONE || at == SLICE_NONE || at < mark || around_has(line, "(ignored)")) return false;
    struct slice rest = slice_skip(line, at + words.len);
    size_t n = num_read_u64(rest, &out->number);
    out->kind = AROUND_EXIT;
    return n && out->number && slice_trim(slice_skip(rest, n)).len == 0;
}

static bool read_exit(struct slice line, struct around_line *out) {
    static const char *const words[] = {"exit code: ", "exit code ", "exit status ", "exited with code ", "exit status: "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t at = around_find(line, slice_from(words[i]));
        if (at == SLICE_NONE) continue;
        struct slice rest = slice_skip(line, at + strlen(words[i]));
        size_t n = num_read_u64(rest, &out->number);
        if (!n || (n < rest.len && is_word(rest.ptr[n]))) continue;
        if (!message_text_is_event(slice_take(line, at), slice_from(words[i]), slice_skip(rest, n))) continue;
        out->kind = AROUND_EXIT;
        return true;
    }
    return false;
}

/* "Allocating TT kv caches for each layer (submesh 1):  9%|": in progress until 100 % */
static bool read_progress(struct slice line, struct around_line *out) {
    if (!around_has(line, "Allocating") || !around_has(line, " kv caches") || around_has(line, "100%|")) return false;
    *out = (struct around_line){.kind = AROUND_PHASE, .phase = PHASE_KV_CACHE};
    return true;
}

/* "... Op | DEBUG    | Started   C++ ttnn operation: ttnn::to_layout", and "Finished" */
static bool read_op_bounds(struct slice line, struct around_line *out) {
    struct slice words = SLICE("C++ ttnn operation: ");
    size_t at = around_find(line, words);
    if (at == SLICE_NONE) return false;
    struct slice before = slice_take(line, at);
    bool begins = around_has(before, "Started "), ends = around_has(before, "Finished ");
    if (begins == ends) return false;
    out->kind = begins ? AROUND_OP_BEGIN : AROUND_OP_END;
    if (!around_read_op_name(slice_skip(line, at + words.len), out)) return false;
    if (!begins) out->name[0] = 0, out->outer = false;
    return true;
}

/* "for Conv2D" in a file that slices the work of any op: "conv2d". */
static bool read_sliced_op(struct slice text, struct around_line *out) {
    struct slice words = SLICE(" for ");
    size_t from = text.len, n = 0;
    while (from && around_find(slice_skip(text, from), words) == SLICE_NONE) from--;
    struct slice name = slice_skip(text, from + words.len);
    while (n < name.len && is_word(name.ptr[n]) && n + 1 < sizeof out->name) {
        out->name[n] = small(name.ptr[n]);
        n++;
    }
    out->name[n] = 0;
    out->kind = AROUND_OP_LOG;
    return from && n && slice_trim(slice_skip(name, n)).len == 0;
}

/* Files of helpers are not ops. */
static bool is_op_file(struct slice name) {
    static const char *const tails[] = {"_utils", "_common", "_helper", "_helpers", "_types", "_config", "_validation"};
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++)
        if (slice_ends(name, slice_from(tails[i]))) return false;
    return !slice_starts(name, SLICE("op_")) && !slice_equal(name, SLICE("common")) && !slice_equal(name, SLICE("utils"));
}

/* "... | info | Op | AGMM fusion: ... (llama_1d_mm_fusion.cpp:165)" */
static bool read_op_log(struct slice line, struct around_line *out) {
    size_t mark = around_find(line, SLICE(" Op | ")), dot = around_find(line, SLICE(".cpp:"));
    if (mark == SLICE_NONE || dot == SLICE_NONE || dot < mark) return false;
    size_t from = dot;
    while (from && is_word(line.ptr[from - 1])) from--;
    if (from == dot || !from || line.ptr[from - 1] != '(' || dot - from >= sizeof out->name) return false;
    struct slice file = slice_of(line.ptr + from, dot - from);
    if (slice_equal(file, SLICE("op_slicing"))) return read_sliced_op(slice_take(line, from - 1), out);
    if (!is_op_file(file)) return false;
    out->kind = AROUND_OP_LOG;
    memcpy(out->name, line.ptr + from, dot - from);
    out->name[dot - from] = 0;
    return true;
}

static bool read_thrown(struct slice line, struct around_line *out) {
    static const struct {
        const char *words;
        enum around_kind kind;
    } rows[] = {{"Traceback (most recent call last)", AROUND_TRACEBACK},
                {"terminate called", AROUND_THROWN},
                {"Fatal Python error", AROUND_THROWN},
                {"EngineCore failed to start", AROUND_THROWN}, /* vLLM */
                {"EngineCore encountered a fatal error", AROUND_THROWN},
                {"Engine core initialization failed", AROUND_THROWN},
                {"EngineDeadError", AROUND_THROWN},
                {"(core dumped)", AROUND_THROWN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (around_has(line, rows[i].words)) {
            out->kind = rows[i].kind;
            if (out->kind == AROUND_TRACEBACK) out->text = slice_take(line, around_find(line, slice_from(rows[i].words)));
            return true;
        }
    return false;
}

/* "... for architecture: blackhole (topology_discovery.cpp:96)"; "Arch: ..." of older drivers does not name the chip */
static bool read_arch(struct slice line, struct around_line *out) {
    size_t at = around_find(line, SLICE("rchitecture: "));
    if (at == SLICE_NONE) return false;
    struct slice rest = slice_skip(line, at + 13);
    for (const struct chip *chip = chip_table; chip->name; chip++)
        if (slice_starts(rest, slice_from(chip->arch))) {
            *out = (struct around_line){.kind = AROUND_ARCH, .text = slice_take(rest, strlen(chip->arch))};
            return true;
        }
    return false;
}

/* "Opening local chip ids/PCIe ids: {0, 1}/[0, 1] and remote chip ids {2, 3}", "Using local chip ids: {0} and remote chip
 * ids {}": the chips of the process, an upper bound for its programs. */
static bool read_chip_ids(struct slice line, struct around_line *out) {
    size_t local = around_find(line, SLICE("local chip ids"));
    if (local == SLICE_NONE || around_find(line, SLICE("remote chip ids {")) == SLICE_NONE) return false;
    bool inside = false, digit = false;
    for (size_t i = local; i < line.len; i++) {
        char c = line.ptr[i];
        if (c == '{' || c == '}') inside = c == '{';
        out->number += inside && c >= '0' && c <= '9' && !digit;
        digit = c >= '0' && c <= '9';
    }
    out->kind = AROUND_CHIPS_OPENED;
    return out->number > 0;
}

/* "Using predefined mesh shape for 8 devices: (2, 4)", "multidevice with 8 devices and grid (1, 8) is created" */
static bool read_mesh(struct slice line, struct around_line *out) {
    static const char *const words[] = {"mesh shape for ", "multidevice with "};
    static const char *const grids[] = {" devices: (", " devices and grid ("};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t at = around_find(line, slice_from(words[i]));
        if (at == SLICE_NONE) continue;
        struct slice rest = slice_skip(line, at + strlen(words[i]));
        uint64_t devices, side[2];
        rest = slice_skip(rest, num_read_u64(rest, &devices));
        if (!slice_starts(rest, slice_from(grids[i]))) continue;
        rest = slice_skip(rest, strlen(grids[i]));
        size_t digits = num_read_u64(rest, &side[0]);
        rest = slice_skip(rest, digits);
        if (!digits || !slice_starts(rest, SLICE(", ")) || !num_read_u64(slice_skip(rest, 2), &side[1])) continue;
        if (!devices || side[0] > devices || side[1] > devices || side[0] * side[1] != devices) continue;
        *out = (struct around_line){.kind = AROUND_MESH};
        snprintf(out->name, sizeof out->name, "%llux%llu", (unsigned long long)side[0], (unsigned long long)side[1]);
        return true;
    }
    return false;
}

/* "Using 8 devices", "Found 8 devices": the devices of the process, an upper bound for its programs. */
static bool read_device_count(struct slice line, struct around_line *out) {
    static const char *const words[] = {"Using ", "Found ", "Opened ", "Opening "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t at = around_find(line, slice_from(words[i]));
        if (at == SLICE_NONE) continue;
        struct slice rest = slice_skip(line, at + strlen(words[i]));
        size_t digits = num_read_u64(rest, &out->number);
        rest = slice_trim(slice_skip(rest, digits));
        if (!digits || !out->number || !slice_starts(rest, SLICE("devices")) || (rest.len > 7 && is_word(rest.ptr[7])))
            continue;
        out->kind = AROUND_CHIPS_OPENED;
        return true;
    }
    return false;
}

/* "Board type: n300", "board: n300"; "board_type": "n300 L" from tt-smi; "Set MESH_DEVICE to N300" from a server; "as
 * cluster of type T3K" from the driver */
static bool read_board(struct slice line, struct around_line *out) {
    static const char *const words[] = {"\"board_type\": \"", "Set MESH_DEVICE to ",
                                        "oard type: ", "oard: ", "luster of type "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t at = around_find(line, slice_from(words[i])), n = 0;
        if (at == SLICE_NONE) continue;
        struct slice rest = slice_skip(line, at + strlen(words[i]));
        while (n < rest.len && is_word(rest.ptr[n])) n++;
        *out = (struct around_line){.kind = AROUND_BOARD, .text = slice_take(rest, n)};
        return n > 0;
    }
    return false;
}

typedef bool line_fn(struct slice, struct around_line *);

static bool read_line(struct slice line, bool endings, struct around_line *out) {
    static line_fn *const readers[] = {around_read_frame, around_read_python,  around_read_pytest_frame,
                                       around_read_call,  around_read_buffer,  read_session,
                                       read_progress,     read_gtest,          read_pytest,
                                       read_report,       read_op_bounds,      read_op_log,
                                       read_thrown,       read_exit,           read_arch,
                                       read_chip_ids,     read_mesh,           read_device_count,
                                       read_board,        around_read_dropped, read_make};
    *out = (struct around_line){.kind = AROUND_NOTHING};
    if (endings && around_read_harness(line, out)) return true;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        *out = (struct around_line){.kind = AROUND_NOTHING};
        if (readers[i](line, out)) return true;
    }
    return false;
}

/* The line between two frames of pytest's tracebacks; the first of them is before it. */
static bool is_separator(struct slice line) {
    for (size_t i = 0; i < line.len; i++)
        if (line.ptr[i] != '_' && line.ptr[i] != ' ') return false;
    return true;
}

/* The line that ends before `at`, or empty. */
static struct slice line_before(struct slice text, size_t at) {
    if (!at) return slice_of("", 0);
    size_t from = at - 1;
    while (from && text.ptr[from - 1] != '\n') from--;
    struct slice line = slice_between(text.ptr + from, text.ptr + at - 1);
    if (line.len && line.ptr[line.len - 1] == '\r') line.len--;
    return line;
}

/* The text of a line that a log collector wrapped: {"time":...,"message":"..."}; else the line itself. */
static struct slice unwrapped(struct slice line) {
    static const char *const keys[] = {"\"log\":", "\"message\":", "\"msg\":", "\"text\":", "\"line\":"};
    if (!slice_starts(line, SLICE("{"))) return line;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t at = around_find(line, slice_from(keys[i])), end = 0;
        if (at == SLICE_NONE) continue;
        struct slice value = slice_trim(slice_skip(line, at + strlen(keys[i])));
        if (!slice_starts(value, SLICE("\""))) continue;
        value = slice_skip(value, 1);
        while (end < value.len && value.ptr[end] != '"') end += value.ptr[end] == '\\' ? 2 : 1;
        value = slice_take(value, end);
        return slice_ends(value, SLICE("\\n")) ? slice_take(value, value.len - 2) : value;
    }
    return line;
}

bool around_next(struct slice text, size_t *at, bool endings, struct around_line *out) {
    return around_next_before(text, at, text.len, endings, out);
}

bool around_next_before(struct slice text, size_t *at, size_t limit, bool endings, struct around_line *out) {
    enum { LONGEST = 4096 };
    const struct slice own = slice_take(text, limit);
    size_t hit;
    /* needles that start with a line break belong to the line after it */
    while ((hit = find_any(the_finder(endings), own, *at - (*at && text.ptr[*at - 1] == '\n'))) != SLICE_NONE) {
        if (text.ptr[hit] == '\n') hit++; /* the line itself begins with the rest of the needle */
        size_t from = hit, lowest = hit > LONGEST ? hit - LONGEST : 0;
        while (from > lowest && from > *at && text.ptr[from - 1] != '\n') from--;
        struct slice rest = slice_skip(own, from);
        size_t end = slice_find_byte(rest, '\n');
        struct slice line = slice_take(rest, end);
        *at = end == SLICE_NONE ? own.len : from + end + 1;
        if (line.len && line.ptr[line.len - 1] == '\r') line.len--;
        line = unwrapped(line);
        if (is_separator(around_without_prefix(line))) line = unwrapped(line_before(text, from));
        if (!read_line(slice_take(line, LONGEST), endings, out)) continue;
        if (out->kind == AROUND_RAN && !around_ran_below(text, at, out)) continue;
        if (*at > limit) *at = limit; /* the answer is in text that is searched later */
        if (out->kind == AROUND_PYTHON && out->text.len) around_call_below(slice_skip(text, *at), out);
        return true;
    }
    return false;
}
