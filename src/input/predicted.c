/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled programs, replayed: a TTNN module, or codegen's output for one. */
#include "input/kinds.h"
#include "predict/ir/forms.h"
#include "predict/predicted_run.h"

const struct input_kind input_codegen_folder = {
    .name = "a folder that codegen wrote",
    .file_in = form_folder_module,
    .read_bytes = predicted_run_read,
};

const struct input_kind input_module = {
    .name = "a compiled TTNN module",
    .is_content = predicted_run_looks_like,
    .read_bytes = predicted_run_read,
};
