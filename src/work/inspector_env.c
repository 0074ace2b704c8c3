/* SPDX-License-Identifier: Apache-2.0 */
#include "work/inspector_env.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"

int inspector_env(struct strbuf values[INSPECTOR_SETTINGS], const char *folder, struct err *err) {
    char whole[PATH_MAX];
    if (make_folders(folder, err) != 0) return -1;
    /* the program may change its folder */
    if (!realpath(folder, whole)) return err_set_errno(err, ERR_OUTPUT, "cannot find '%s'", folder);
    static const char *const on[] = {"TT_METAL_INSPECTOR=1", "TT_METAL_INSPECTOR_LOG_MESH_BUFFERS=1",
                                     "TT_METAL_INSPECTOR_LOG_RUNTIME_ENTRIES=1"};
    for (size_t i = 0; i < sizeof on / sizeof *on; i++) strbuf_addz(&values[i], on[i]);
    strbuf_addf(&values[INSPECTOR_SETTINGS - 1], "TT_METAL_LOGS_PATH=%s", whole);
    for (size_t i = 0; i < INSPECTOR_SETTINGS; i++) strbuf_text(&values[i]);
    return 0;
}

bool telemetry_env(struct strbuf *value, const char *folder) {
    char whole[PATH_MAX];
    const char *on = getenv("TTXLA_TELEMETRY");
    if (!on || !on[0] || strcmp(on, "0") == 0 || getenv("TTXLA_TELEMETRY_DIR") || !realpath(folder, whole)) return false;
    strbuf_addf(value, "TTXLA_TELEMETRY_DIR=%s/tt_telemetry", whole);
    strbuf_text(value);
    return true;
}
