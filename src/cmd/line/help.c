/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cmd/line/cmd.h"

enum { OPTION_COLUMN = 28, WIDTH = 80 };

/* Where the next word ends: at a space outside brackets ("[--at INDEX|peak]" stays in one piece if it fits). */
static size_t word_end(struct slice text, size_t at, bool whole_groups) {
    unsigned depth = 0;
    for (; at < text.len && (text.ptr[at] != ' ' || depth); at++) {
        depth += whole_groups && text.ptr[at] == '[';
        depth -= depth && text.ptr[at] == ']';
    }
    return at;
}

/* Adds the words of a text, breaking lines before the right edge; lines after the first begin at `indent`. */
static void add_wrapped(struct strbuf *out, size_t column, size_t indent, struct slice text, bool whole_groups) {
    for (size_t at = 0; at < text.len;) {
        size_t end = word_end(text, at, whole_groups);
        if (end - at > WIDTH - indent) end = word_end(text, at, false);
        if (column > indent && column + 1 + (end - at) > WIDTH) {
            strbuf_addc(out, '\n');
            strbuf_fill(out, ' ', indent);
            column = indent;
        } else if (at) {
            strbuf_addc(out, ' ');
            column++;
        }
        strbuf_add(out, slice_between(text.ptr + at, text.ptr + end));
        column += end - at;
        for (at = end; at < text.len && text.ptr[at] == ' ';) at++;
    }
    strbuf_addc(out, '\n');
}

/* Paragraphs are refilled; lines that begin with a space are a table and stay as they are. */
static void add_details(struct strbuf *out, const char *details) {
    struct slice rest = slice_from(details);
    struct strbuf paragraph = {0};
    while (rest.len || paragraph.len) {
        size_t end = slice_find_byte(rest, '\n');
        struct slice line = slice_take(rest, end);
        bool table = line.len && line.ptr[0] == ' ';
        if ((table || !line.len) && paragraph.len) {
            add_wrapped(out, 0, 0, strbuf_slice(&paragraph), false);
            strbuf_clear(&paragraph);
            if (!rest.len) break;
        }
        if (table) {
            size_t indent = 0;
            while (indent < line.len && line.ptr[indent] == ' ') indent++;
            strbuf_fill(out, ' ', indent);
            if (line.len > WIDTH) add_wrapped(out, indent, indent + 2, slice_skip(line, indent), false);
            else strbuf_addf(out, "%.*s\n", SLICE_FMT(slice_skip(line, indent)));
        } else if (line.len) {
            if (paragraph.len) strbuf_addc(&paragraph, ' ');
            strbuf_add(&paragraph, line);
        } else if (rest.len) {
            strbuf_addc(out, '\n');
        }
        rest = slice_skip(rest, end == SLICE_NONE ? rest.len : end + 1);
    }
    strbuf_release(&paragraph);
}

static void option_line(struct strbuf *out, const struct option *option) {
    size_t start = out->len;
    strbuf_addz(out, "  ");
    if (option->letter) strbuf_addf(out, "-%c, ", option->letter);
    strbuf_addf(out, "--%s", option->name);
    if (option->value && option_takes_value(option)) strbuf_addf(out, " %s", option->value);
    size_t used = out->len - start;
    if (used + 2 > OPTION_COLUMN) {
        strbuf_addc(out, '\n');
        used = 0;
    }
    strbuf_fill(out, ' ', OPTION_COLUMN - used);
    add_wrapped(out, OPTION_COLUMN, OPTION_COLUMN, slice_from(option->help), false);
}

void help_command(struct strbuf *out, const char *program, const struct command *command) {
    bool older = strcmp(program, "ttmem") != 0;
    add_wrapped(out, 0, 0, slice_from(command->summary), false);
    strbuf_addc(out, '\n');
    size_t start = out->len;
    strbuf_addf(out, "Usage: %s%s%s%s", program, older ? "" : " ", older ? "" : command->name, command->synopsis[0] ? " " : "");
    add_wrapped(out, out->len - start, out->len - start, slice_from(command->synopsis), true);
    if (older) strbuf_addf(out, "       the same as ttmem %s\n", command->name);
    if (command->details) {
        strbuf_addc(out, '\n');
        add_details(out, command->details);
    }
    strbuf_addz(out, "\nOptions:\n");
    for (const struct option *o = command->options; o && o->name; o++) option_line(out, o);
    for (const struct option *o = common_options; o->name; o++) option_line(out, o);
    strbuf_addf(out, "\nExample:\n  %s\n", command->example);
}

/* Does the command belong to the group? NULL: all do. */
static bool in_group(const struct command *command, const char *group) {
    size_t len = group ? strlen(group) : 0;
    return !group || (strncmp(command->name, group, len) == 0 && command->name[len] == ' ');
}

static void command_lines(struct strbuf *out, const char *group) {
    size_t widest = 0;
    for (const struct command *const *c = command_table; *c; c++)
        if (in_group(*c, group) && strlen((*c)->name) > widest) widest = strlen((*c)->name);
    for (const struct command *const *c = command_table; *c; c++) {
        if (!in_group(*c, group)) continue;
        const char *heading = group ? NULL : command_heading(*c);
        if (heading) strbuf_addf(out, "\n%s:\n", heading);
        strbuf_addf(out, "  %s", (*c)->name);
        strbuf_fill(out, ' ', widest + 2 - strlen((*c)->name));
        add_wrapped(out, widest + 4, widest + 4, slice_from((*c)->summary), false);
    }
}

void help_group(struct strbuf *out, const char *group) {
    strbuf_addf(out, "Usage: ttmem %s <command> [options]\n\nCommands:\n", group);
    command_lines(out, group);
    strbuf_addf(out, "\nttmem %s <command> --help shows its options and an example.\n", group);
}

void help_program(struct strbuf *out) {
    strbuf_addz(out,
                "ttmem shows what holds the memory of a Tenstorrent chip, what is wasted, and why\n"
                "an allocation failed, from the logs and captures that TT-XLA, tt-mlir, tt-metal,\n"
                "ttnn and tt-train write.\n"
                "\nUsage: ttmem <command> [options]\n"
                "       ttmem                        the interactive program, in a terminal\n"
                "\nBegin with ttmem run -- COMMAND, ttmem summary LOG, ttmem explain LOG or\n"
                "ttmem view LOG.\n");
    command_lines(out, NULL);
    strbuf_addz(out, "\nttmem help <command> or ttmem <command> --help shows options and an example.\n");
}

/* Edit distance, for short words; long ones are never close to anything. */
static unsigned distance(const char *a, const char *b) {
    enum { LIMIT = 32 };
    unsigned row[LIMIT + 1];
    size_t la = strlen(a), lb = strlen(b);
    if (la > LIMIT || lb > LIMIT) return LIMIT;
    for (unsigned j = 0; j <= lb; j++) row[j] = j;
    for (unsigned i = 1; i <= la; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= lb; j++) {
            unsigned above = row[j];
            unsigned best = diagonal + (a[i - 1] != b[j - 1]);
            if (above + 1 < best) best = above + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
            diagonal = above;
        }
    }
    return row[lb];
}

const char *args_suggest(const char *word, const char *const *names) {
    const char *nearest = NULL;
    size_t len = strlen(word);
    unsigned best = len < 4 ? 1 : (unsigned)len / 3 + 1; /* of three letters, one is all that they share */
    for (; *names; names++) {
        unsigned d = distance(word, *names);
        if (d <= best && (!nearest || d < best)) {
            best = d;
            nearest = *names;
        }
    }
    return nearest;
}
