/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "cmd/line/cmd.h"

const struct option common_options[] = {
    {"quiet", 'q', OPTION_FLAG, NULL, "no messages on stderr except errors"},
    {"no-color", 0, OPTION_FLAG, NULL, "no colours (also: NO_COLOR)"},
    {"progress", 0, OPTION_TEXT, "auto|always|never", "progress bar on stderr"},
    {"help", 'h', OPTION_FLAG, NULL, "this text"},
    {"version", 0, OPTION_FLAG, NULL, "version of ttmem"},
    OPTIONS_END,
};

const struct option_alias option_aliases[] = {
    {"chip", "device"},
    {"arch", "device"},
    {"since-fits", "no-longer-fits"},
    {0},
};

static bool same_name(const char *given, size_t len, const char *name) {
    if (strlen(name) != len) return false;
    for (size_t i = 0; i < len; i++)
        if (given[i] != name[i] && !(given[i] == '_' && name[i] == '-')) return false;
    return true;
}

static const struct option *find_named(const struct command *command, const char *given, size_t len) {
    for (const struct option *o = command->options; o && o->name; o++)
        if (same_name(given, len, o->name)) return o;
    for (const struct option *o = common_options; o->name; o++)
        if (same_name(given, len, o->name)) return o;
    return NULL;
}

static const struct option *find_long(const struct command *command, const char *given, size_t len) {
    const struct option *found = find_named(command, given, len);
    for (const struct option_alias *a = option_aliases; !found && a->alias; a++)
        if (same_name(given, len, a->alias)) found = find_named(command, a->name, strlen(a->name));
    return found;
}

static const struct option *find_letter(const struct command *command, char letter) {
    for (const struct option *o = command->options; o && o->name; o++)
        if (o->letter == letter) return o;
    for (const struct option *o = common_options; o->name; o++)
        if (o->letter == letter) return o;
    return NULL;
}

static int unknown_option(const struct command *command, const char *given, struct err *err) {
    const char *names[128];
    size_t n = 0;
    for (const struct option *o = command->options; o && o->name && n < 100; o++) names[n++] = o->name;
    for (const struct option *o = common_options; o->name && n < 127; o++) names[n++] = o->name;
    names[n] = NULL;
    const char *near = given[1] == '-' ? args_suggest(given + 2, names) : NULL;
    if (near) return err_set(err, ERR_USAGE, "unknown option '%s'; did you mean --%s?", given, near);
    return err_set(err, ERR_USAGE, "unknown option '%s'; see ttmem %s --help", given, command->name);
}

/* A value name like auto|always|never lists the only words allowed. */
static int check_choice(const struct option *option, const char *text, struct err *err) {
    if (!option->value || !strchr(option->value, '|') || strchr(option->value, ' ')) return 0;
    size_t len = strlen(text);
    for (const char *word = option->value; word;) {
        const char *bar = strchr(word, '|');
        size_t word_len = bar ? (size_t)(bar - word) : strlen(word);
        if (word_len == len && memcmp(word, text, len) == 0) return 0;
        word = bar ? bar + 1 : NULL;
    }
    return err_set(err, ERR_USAGE, "--%s takes %s, not '%s'", option->name, option->value, text);
}

static int add_value(struct args *args, const struct option *option, const char *text, struct err *err) {
    if (option_takes_value(option) && check_choice(option, text, err) != 0) return -1;
    vec_push(&args->options, ((struct option_value){option, text}));
    return 0;
}

/* Handles the option at argv[*i]; moves *i past its value. */
static int parse_option(struct args *args, const struct command *command, int argc, char *const *argv, int *i,
                        struct err *err) {
    const char *given = argv[*i];
    bool is_long = given[1] == '-';
    const char *equals = is_long ? strchr(given, '=') : NULL;
    const struct option *option;
    if (is_long) option = find_long(command, given + 2, equals ? (size_t)(equals - given - 2) : strlen(given + 2));
    else option = find_letter(command, given[1]);
    if (!option) return unknown_option(command, given, err);
    if (!option_takes_value(option)) {
        if (equals && option->value && strcmp(equals + 1, option->value) == 0) return add_value(args, option, equals + 1, err);
        if (equals && option->value) return err_set(err, ERR_USAGE, "--%s takes no value but =%s", option->name, option->value);
        if (equals) return err_set(err, ERR_USAGE, "--%s takes no value", option->name);
        if (!is_long && given[2]) {
            /* -qh: the remaining letters are options of their own */
            for (const char *letter = given + 1; *letter; letter++) {
                const struct option *one = find_letter(command, *letter);
                if (!one || option_takes_value(one)) return unknown_option(command, given, err);
                if (add_value(args, one, NULL, err) != 0) return -1;
            }
            return 0;
        }
        return add_value(args, option, NULL, err);
    }
    if (equals) return add_value(args, option, equals + 1, err);
    if (!is_long && given[2]) return add_value(args, option, given + 2, err);
    if (*i + 1 >= argc) return err_set(err, ERR_USAGE, "%s needs a value: %s", given, option->value);
    return add_value(args, option, argv[++*i], err);
}

static int check_words(const struct args *args, const struct command *command, struct err *err) {
    if (args_has(args, "help") || args_has(args, "version")) return 0;
    if (args->words.len < command->min_words)
        return err_set(err, ERR_USAGE, "too few arguments; usage: ttmem %s%s%s", command->name, command->synopsis[0] ? " " : "",
                       command->synopsis);
    if (args->words.len > command->max_words)
        return err_set(err, ERR_USAGE, "unexpected argument '%s'; usage: ttmem %s%s%s", args->words.items[command->max_words],
                       command->name, command->synopsis[0] ? " " : "", command->synopsis);
    return 0;
}

int args_parse(struct args *args, const struct command *command, int argc, char *const *argv, struct err *err) {
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            if (command->takes_rest) {
                args->rest = (const char *const *)&argv[i + 1];
                break;
            }
            for (i++; i < argc; i++) vec_push(&args->words, argv[i]);
            break;
        }
        if (argv[i][0] == '-' && argv[i][1]) {
            if (parse_option(args, command, argc, argv, &i, err) != 0) return -1;
            continue;
        }
        if (command->takes_rest) {
            args->rest = (const char *const *)&argv[i];
            break;
        }
        vec_push(&args->words, argv[i]);
    }
    return check_words(args, command, err);
}

void args_release(struct args *args) {
    vec_release(&args->options);
    vec_release(&args->words);
}

size_t args_count(const struct args *args, const char *name) {
    size_t n = 0;
    for (size_t i = 0; i < args->options.len; i++) n += strcmp(args->options.items[i].option->name, name) == 0;
    return n;
}

bool args_has(const struct args *args, const char *name) { return args_count(args, name) > 0; }

const char *args_nth(const struct args *args, const char *name, size_t n) {
    for (size_t i = 0; i < args->options.len; i++)
        if (strcmp(args->options.items[i].option->name, name) == 0 && n-- == 0) return args->options.items[i].text;
    return NULL;
}

const char *args_text(const struct args *args, const char *name) {
    size_t n = args_count(args, name);
    return n ? args_nth(args, name, n - 1) : NULL;
}

int args_number(const struct args *args, const char *name, uint64_t fallback, uint64_t *number, struct err *err) {
    const char *text = args_text(args, name);
    *number = fallback;
    if (!text || (text[0] && num_read_u64(slice_from(text), number) == strlen(text))) return 0;
    return err_set(err, ERR_USAGE, "--%s takes a number, not '%.100s'", name, text);
}
