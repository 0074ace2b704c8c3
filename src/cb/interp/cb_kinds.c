/* SPDX-License-Identifier: Apache-2.0 */
/* tt-metal's names for buffers, programs and kernels. */
#include "cb/interp/cb_index.h"
#include "cb/interp/cb_interp.h"

static bool one_of(struct slice name, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (slice_equal(name, slice_from(list[i]))) return true;
    return false;
}

bool interp_is_buffer_type(struct slice type) {
    static const char *const types[] = {"CBDescriptor", "DataflowBufferSpec", "ScratchpadSpec"};
    return one_of(type, types, sizeof types / sizeof *types);
}

bool interp_is_config_type(struct slice type) {
    static const char *const types[] = {"CircularBufferConfig", "DataflowBufferConfig"};
    return one_of(type, types, sizeof types / sizeof *types);
}

bool interp_is_buffer_list(struct slice name) {
    static const char *const names[] = {"cbs", "dataflow_buffers", "scratchpads"};
    return one_of(name, names, sizeof names / sizeof *names);
}

bool interp_is_program_type(struct slice type) {
    static const char *const types[] = {"Program", "ProgramDescriptor", "ProgramSpec"};
    return one_of(type, types, sizeof types / sizeof *types);
}

bool interp_is_kernel_type(struct slice type) {
    static const char *const types[] = {"KernelDescriptor", "KernelSpec", "UnifiedKernelDescriptor"};
    return one_of(type, types, sizeof types / sizeof *types);
}

static bool is_name_byte(char c) { return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z'); }

struct slice interp_role_of(struct slice text) {
    /* static_cast<uint8_t>(Conv2dCb::ACT): the last name inside */
    size_t end = text.len;
    while (end && !is_name_byte(text.ptr[end - 1])) end--;
    size_t start = end;
    while (start && is_name_byte(text.ptr[start - 1])) start--;
    struct slice name = slice_of(text.ptr + start, end - start);
    int64_t index;
    bool digit = name.len && name.ptr[0] >= '0' && name.ptr[0] <= '9';
    return digit || cb_index_by_name(name, &index) ? SLICE("") : name;
}
