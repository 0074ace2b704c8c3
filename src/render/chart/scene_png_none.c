/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces scene_png.c in a build without PNG. */
#include "base/dynlib.h"
#include "render/chart/scene.h"

int scene_png(struct strbuf *out, const struct scene *scene, struct err *err) {
    (void)out;
    (void)scene;
    return dynlib_left_out("drawing PNG", "TTMEM_PNG", ERR_OUTPUT, err);
}
