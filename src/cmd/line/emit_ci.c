/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/line/emit_ci.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/outfile.h"
#include "work/version.h"

enum { SUMMARY_MOST = 1 << 20 }; /* GitHub drops a summary that is larger */

int emit_findings(const struct invocation *inv, const struct ci_findings *findings, struct slice fallback, struct err *err) {
    struct strbuf text = {0};
    struct json j = {.out = &text, .pretty = true};
    const char *sarif = args_text(&inv->args, "sarif"), *quality = args_text(&inv->args, "codequality");
    int rc = 0;
    if (sarif) {
        findings_sarif(&j, findings, version_number());
        strbuf_addc(&text, '\n');
        rc = emit_to(inv, sarif, strbuf_slice(&text), false, err);
    }
    if (rc == 0 && quality) {
        strbuf_clear(&text);
        j = (struct json){.out = &text, .pretty = true};
        findings_code_quality(&j, findings, fallback);
        strbuf_addc(&text, '\n');
        rc = emit_to(inv, quality, strbuf_slice(&text), false, err);
    }
    strbuf_release(&text);
    return rc;
}

int emit_step_summary(struct slice text, struct err *err) {
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    if (!path || !path[0]) return 0;
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0) return err_set_errno(err, ERR_OUTPUT, "cannot write '%s'", path);
    off_t there = lseek(fd, 0, SEEK_END);
    int rc = there >= 0 && (size_t)there + text.len > SUMMARY_MOST ? 0 : write_all(fd, text, err);
    if (rc != 0) err_set_errno(err, ERR_OUTPUT, "cannot write '%s'", path);
    close(fd);
    return rc;
}
