/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/line/completion.h"

#include <ctype.h>
#include <string.h>

#include "device/chip.h"

static const struct {
    const char *value;
    enum completion_kind kind;
} value_kinds[] = {
    {"FILE", COMPLETE_FILES},  {"LOG", COMPLETE_FILES},      {"PATH", COMPLETE_FILES}, {"SOURCE", COMPLETE_FILES},
    {"DIR", COMPLETE_FOLDERS}, {"FOLDER", COMPLETE_FOLDERS}, {"CHIP", COMPLETE_CHIPS}, {"REPORT", COMPLETE_REPORTS},
};

enum completion_kind completion_of_option(const struct option *option) {
    if (!option_takes_value(option) || !option->value) return COMPLETE_NOTHING;
    if (strchr(option->value, '|') && !strchr(option->value, ' ')) return COMPLETE_WORDS;
    for (size_t i = 0; i < sizeof value_kinds / sizeof *value_kinds; i++)
        if (strcmp(option->value, value_kinds[i].value) == 0) return value_kinds[i].kind;
    return COMPLETE_NOTHING;
}

enum completion_kind completion_of_words(const struct command *command) {
    if (command->takes_rest) return COMPLETE_PROGRAM;
    if (!command->max_words) return COMPLETE_NOTHING;
    if (islower((unsigned char)command->synopsis[0])) return COMPLETE_WORDS; /* bash|zsh|fish */
    bool takes_report =
        strstr(command->synopsis, "|NAME") || strstr(command->synopsis, "REPORT") || strstr(command->synopsis, "RUN");
    return takes_report ? COMPLETE_REPORTS : COMPLETE_FILES;
}

void completion_words(struct strbuf *out, enum completion_kind kind, const char *value) {
    if (kind == COMPLETE_CHIPS) {
        for (const struct chip *chip = chip_table; chip->name; chip++)
            strbuf_addf(out, "%s%s", chip == chip_table ? "" : " ", chip->name);
        return;
    }
    for (; *value && *value != ' '; value++) strbuf_addc(out, *value == '|' ? ' ' : *value);
}

void completion_each_option(struct strbuf *out, const struct command *command,
                            void (*each)(struct strbuf *out, const struct command *command, const struct option *option)) {
    for (const struct option *o = command->options; o && o->name; o++) each(out, command, o);
    for (const struct option *o = common_options; o->name; o++) each(out, command, o);
}

size_t completion_groups(struct slice groups[COMPLETION_GROUPS]) {
    size_t count = 0;
    for (const struct command *const *c = command_table; *c; c++) {
        const char *space = strchr((*c)->name, ' ');
        if (!space) continue;
        struct slice word = slice_between((*c)->name, space);
        size_t i = 0;
        while (i < count && !slice_equal(groups[i], word)) i++;
        if (i == count && i < COMPLETION_GROUPS) groups[count++] = word;
    }
    return count;
}

bool completion_in_group(const struct command *command, struct slice group) {
    return slice_starts(slice_from(command->name), group) && command->name[group.len] == ' ';
}
