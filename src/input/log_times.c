/* SPDX-License-Identifier: Apache-2.0 */
/* When the files of a run were written, as far as their lines show. */
#include <string.h>

#include "input/log_files.h"

enum { NEAR = 64 << 10, MOST_NOTES = 5 };

static bool is_time(const char *p) {
    static const char shape[] = "dddd-dd-dd dd:dd:dd";
    for (unsigned i = 0; i < LOG_TIME_LEN; i++) {
        bool digit = p[i] >= '0' && p[i] <= '9';
        if (shape[i] == 'd' ? !digit : p[i] != shape[i] && !(shape[i] == ' ' && p[i] == 'T')) return false;
    }
    return p[0] == '2' && p[1] == '0';
}

static void take(char *out, const char *p) {
    memcpy(out, p, LOG_TIME_LEN);
    out[10] = ' ';
    out[LOG_TIME_LEN] = '\0';
}

void log_times_find(struct log_file *file) {
    struct slice bytes = file->source.bytes;
    size_t end = bytes.len < NEAR ? bytes.len : NEAR;
    for (size_t i = 0; i + LOG_TIME_LEN <= end && !file->first[0]; i++)
        if (bytes.ptr[i] == '2' && is_time(bytes.ptr + i)) take(file->first, bytes.ptr + i);
    size_t from = bytes.len > NEAR ? bytes.len - NEAR : 0;
    for (size_t i = bytes.len < LOG_TIME_LEN ? 0 : bytes.len - LOG_TIME_LEN + 1; i-- > from && !file->last[0];)
        if (bytes.ptr[i] == '2' && is_time(bytes.ptr + i)) take(file->last, bytes.ptr + i);
    if (!file->last[0]) memcpy(file->last, file->first, sizeof file->last);
    if (!file->first[0]) memcpy(file->first, file->last, sizeof file->first);
}

static bool overlap(const struct log_file *a, const struct log_file *b) {
    return strcmp(a->first, b->last) <= 0 && strcmp(b->first, a->last) <= 0;
}

/* Compares only days: hosts' clocks differ, and ranks start one after another. */
static bool same_days(const struct log_file *a, const struct log_file *b) {
    return overlap(a, b) || memcmp(a->first, b->first, 10) == 0;
}

void log_times_note(struct input *in, const struct log_files *files) {
    size_t count = files->items.len, noted = 0, usual = 0, most = 0;
    for (size_t i = 0; i < count && i < 64; i++) { /* the file that agrees with most others */
        size_t agree = 0;
        if (!files->items.items[i].first[0]) continue;
        for (size_t k = 0; k < count; k++)
            agree += files->items.items[k].first[0] && same_days(&files->items.items[i], &files->items.items[k]);
        if (agree > most) {
            most = agree;
            usual = i;
        }
    }
    for (size_t i = 0; most && i < count && noted < MOST_NOTES; i++) {
        const struct log_file *file = &files->items.items[i], *other = &files->items.items[usual];
        if (!file->first[0] || same_days(file, other)) continue;
        input_note(in, "%s was written %s to %s, %s %s to %s: is it from another run?", file->path, file->first, file->last,
                   other->path, other->first, other->last);
        noted++;
    }
}
