/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/device_line.h"

#include <string.h>

/* First words of messages, or all of one. Frequent in no log: a process prints each once or twice. */
static const struct {
    const char *words;
    bool whole; /* nothing follows but a place in the source */
    enum device_line kind;
} rows[] = {
    {"Opening user mode device driver", false, DEVICE_OPENS},   /* tt-metal, llrt/tt_cluster.cpp */
    {"Starting devices in cluster", false, DEVICE_OPENS},       /* tt-umd, cluster.cpp */
    {"ClientInstance::PJRT_Client_Create", true, DEVICE_OPENS}, /* tt-xla, client_instance.cc */
    {"ClientInstance::ClientInstance", true, DEVICE_OPENS},     /* the same */
    {"ClientInstance::getOrCreateMeshDevice - reshaping mesh device", false, DEVICE_REOPENS}, /* the same */
    {"Closing and re-initializing MetalContext with new parameters", false, DEVICE_REOPENS},  /* tt-metal, metal_context.cpp */
    {"Closing user mode device drivers", false, DEVICE_CLOSES}, /* tt-metal, llrt/tt_cluster.cpp */
    {"Closing devices in cluster", false, DEVICE_CLOSES},       /* tt-umd, cluster.cpp */
    {"Closing device ", false, DEVICE_CLOSES},                  /* tt-metal until 2025, device.cpp */
    {"Closing parent mesh.", false, DEVICE_CLOSES},             /* tt-xla, client_instance.cc */
};

enum device_line device_message(struct slice message) {
    if (message.len < 2 || !strchr("CSO", message.ptr[0])) return DEVICE_NONE;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct slice words = slice_from(rows[i].words);
        if (!slice_starts(message, words)) continue;
        struct slice rest = slice_trim(slice_skip(message, words.len));
        if (!rows[i].whole || !rest.len || rest.ptr[0] == '(' || rest.ptr[0] == '\x1b') return rows[i].kind;
    }
    return DEVICE_NONE;
}

enum device_line device_line(struct slice line) {
    enum { MOST_BARS = 8 }; /* before the message: columns of the logger, prefixes */
    for (int i = 0; i < MOST_BARS; i++) {
        size_t bar = slice_find_byte(line, '|');
        if (bar == SLICE_NONE) return DEVICE_NONE;
        line = slice_skip(line, bar + 1);
        struct slice message = line;
        while (message.len && (message.ptr[0] == ' ' || message.ptr[0] == '\t')) message = slice_skip(message, 1);
        enum device_line kind = device_message(message);
        if (kind != DEVICE_NONE) return kind;
    }
    return DEVICE_NONE;
}
