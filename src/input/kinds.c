/* SPDX-License-Identifier: Apache-2.0 */
#include "input/kinds.h"

#include <stddef.h>

static const struct input_kind *const kinds[] = {
#define INPUT(name) &input_##name,
#include "input/kinds.def"
#undef INPUT
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const struct input_kind *kind_of_folder(const char *path) {
    struct strbuf file = {0};
    size_t i = 0;
    while (i < KINDS && !(kinds[i]->is_folder && kinds[i]->is_folder(path)) &&
           !(kinds[i]->file_in && kinds[i]->file_in(path, &file)))
        i++;
    strbuf_release(&file);
    return i < KINDS ? kinds[i] : NULL;
}

const struct input_kind *kind_of_file(const char *path) {
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i]->is_file && kinds[i]->is_file(path)) return kinds[i];
    return NULL;
}

const struct input_kind *kind_of_content(struct slice head) {
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i]->is_content && kinds[i]->is_content(head)) return kinds[i];
    return NULL;
}
