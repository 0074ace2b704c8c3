/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/line/fail.h"

#include <string.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/outfile.h"
#include "work/work.h"

static const struct {
    enum err_code code;
    const char *name;
} codes[] = {{ERR_USAGE, "usage"},
             {ERR_INPUT, "input_unreadable"},
             {ERR_LACKS, "input_lacks"},
             {ERR_OUTPUT, "output"},
             {ERR_BUG, "internal"}};

static const char *code_name(enum err_code code) {
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].code == code) return codes[i].name;
    return "internal";
}

bool fail_asks_json(int argc, char *const *argv) {
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--json") == 0 || strcmp(argv[i], "--format=json") == 0) return true;
        if (i + 1 < argc && strcmp(argv[i], "--format") == 0 && strcmp(argv[i + 1], "json") == 0) return true;
    }
    return false;
}

/* One line, so that it also suits formats with one object per line. */
static void tell_json(const char *command, int status, const struct err *err) {
    struct strbuf text = {0};
    struct json j = {.out = &text};
    json_document(&j);
    json_key(&j, "error");
    json_object(&j);
    json_member_text(&j, "code", code_name(err->code));
    json_member_text(&j, "message", err->text);
    json_member_i64(&j, "exit_status", status);
    json_member_text(&j, "command", command);
    json_object_end(&j);
    json_object_end(&j);
    strbuf_addc(&text, '\n');
    write_all(STDOUT_FILENO, strbuf_slice(&text), NULL);
    strbuf_release(&text);
}

int fail_tell(const char *command, bool json, const struct err *err) {
    int status = err->code ? (int)err->code : ERR_BUG;
    if (json) tell_json(command, status, err);
    work_error("%s", err->text);
    return status;
}
