/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inspector/data.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"

enum { BLOCK = 1 << 20, SAMPLE = 1 << 16 };

static const char *const file_names[] = {"mesh_buffers_log.yaml", "mesh_workloads_log.yaml", "programs_log.yaml",
                                         "mesh_devices_log.yaml"};
enum { FILE_BUFFERS, FILE_WORKLOADS, FILE_PROGRAMS, FILE_DEVICES, FILES };

/* The first events of buffers wait until it is known which chip they fit. */
struct inspector_reading {
    struct inspector_data *data;
    struct inspector_rank *rank;
    VEC(struct inspector_event) sample;
    struct arena texts;
    bool decided;
};

static bool has_files(const char *folder) {
    struct strbuf path = {0};
    bool found = false;
    for (unsigned i = 0; i < FILES && !found; i++) {
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/%s", folder, file_names[i]);
        found = access(strbuf_text(&path), F_OK) == 0;
    }
    strbuf_release(&path);
    return found;
}

/* "_rank_12" -> 12 */
static bool rank_number(const char *name, uint64_t *number) {
    struct slice text = slice_from(name), prefix = SLICE("_rank_");
    if (!slice_starts(text, prefix)) return false;
    text = slice_skip(text, prefix.len);
    return text.len && num_read_u64(text, number) == text.len && *number < UINT16_MAX;
}

static int rising(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

typedef VEC(uint64_t) rank_list;

static void list_ranks(const char *folder, rank_list *out) {
    DIR *list = opendir(folder);
    uint64_t number;
    for (const struct dirent *entry; list && (entry = readdir(list));)
        if (rank_number(entry->d_name, &number)) vec_push(out, number);
    if (list) closedir(list);
    if (out->len) qsort(out->items, out->len, sizeof *out->items, rising);
}

bool inspector_folder_of(const char *path, struct strbuf *folder) {
    static const char *const below[] = {"", "/inspector", "/generated/inspector", "/inspector/generated/inspector"};
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) return false;
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        rank_list ranks = {0};
        strbuf_clear(folder);
        strbuf_addf(folder, "%s%s", path, below[i]);
        list_ranks(strbuf_text(folder), &ranks);
        bool found = ranks.len || has_files(strbuf_text(folder));
        vec_release(&ranks);
        if (found) return true;
    }
    return false;
}

/* --- events --- */

static void take_other(struct inspector_rank *rank, const struct inspector_event *event) {
    switch (event->kind) {
        case INSPECTOR_RUNTIME_ENTRY:
            vec_push(&rank->ops, ((struct inspector_op){event->time_ns, event->id, strtab_id(&rank->strings, event->name),
                                                        event->trace_id != UINT32_MAX}));
            break;
        case INSPECTOR_WORKLOAD_CREATED:
            rank->workloads_alive++;
            break;
        case INSPECTOR_WORKLOAD_DESTROYED:
            rank->workloads_alive -= rank->workloads_alive > 0;
            break;
        case INSPECTOR_WORKLOAD_BINARY:
            if (slice_equal(event->status, SLICE("InFlight"))) vec_push(&rank->sent, event->time_ns);
            break;
        case INSPECTOR_PROGRAM_CREATED:
            if (event->time_ns < INT64_MAX) vec_push(&rank->programs, (int64_t)event->time_ns);
            break;
        case INSPECTOR_PROGRAM_DESTROYED:
            if (event->time_ns < INT64_MAX) vec_push(&rank->programs, -(int64_t)event->time_ns);
            break;
        case INSPECTOR_MESH_CREATED:
            rank->meshes += !event->has_parent && !slice_equal(event->devices, SLICE("[]"));
            break;
        default:
            break;
    }
}

/* How many buffers begin where their neighbour ends if it is this chip; 0 when an address is beyond its memory. */
static uint64_t fit(const struct chip *chip, const struct inspector_event *events, size_t count) {
    struct owners owners;
    bool beyond = false;
    owners_init(&owners, chip);
    for (size_t i = 0; i < count; i++) {
        owners_take(&owners, &events[i]);
        beyond |= slice_equal(events[i].buffer_type, SLICE("DRAM")) && events[i].address >= chip->dram_view_bytes;
        beyond |= slice_equal(events[i].buffer_type, SLICE("L1")) && events[i].address >= chip->l1_bytes;
    }
    uint64_t score = beyond ? 0 : owners.fitting * 4 + 1;
    owners_release(&owners);
    return score;
}

static const struct chip *likely_chip(const struct inspector_event *events, size_t count) {
    const struct chip *best = &chip_table[0];
    uint64_t most = 0;
    for (const struct chip *chip = chip_table; chip->name; chip++) {
        uint64_t score = fit(chip, events, count);
        if (score > most) best = chip, most = score;
    }
    return best;
}

static void decide(struct inspector_reading *r) {
    if (r->decided) return;
    r->decided = true;
    if (!r->data->chip) r->data->chip = likely_chip(r->sample.items, r->sample.len);
    owners_init(&r->rank->owners, r->data->chip);
    for (size_t i = 0; i < r->sample.len; i++) owners_take(&r->rank->owners, &r->sample.items[i]);
    vec_release(&r->sample);
    arena_release(&r->texts);
}

static void take_event(void *who, const struct inspector_event *event) {
    struct inspector_reading *r = who;
    if (event->kind != INSPECTOR_ALLOCATED && event->kind != INSPECTOR_DEALLOCATED) {
        take_other(r->rank, event);
        return;
    }
    if (r->decided) {
        owners_take(&r->rank->owners, event);
        return;
    }
    struct inspector_event kept = *event;
    kept.buffer_type = arena_copy(&r->texts, event->buffer_type);
    vec_push(&r->sample, kept);
    if (r->sample.len == SAMPLE) decide(r);
}

/* --- files --- */

/* Read, not mapped: a second opening of the device empties the files. */
static int read_file(struct inspector_reading *r, const char *path, bool *there, struct err *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *there = fd >= 0;
    if (fd < 0) return errno == ENOENT ? 0 : err_set_errno(err, ERR_INPUT, "cannot open %s", path);
    struct inspector_parser parser;
    inspector_init(&parser, take_event, r);
    ssize_t n;
    while ((n = read(fd, inspector_room(&parser, BLOCK), BLOCK)) > 0 || (n < 0 && errno == EINTR)) {
        if (n < 0) continue;
        r->rank->bytes += (uint64_t)n;
        inspector_took(&parser, (size_t)n);
    }
    int rc = n < 0 ? err_set_errno(err, ERR_INPUT, "cannot read %s", path) : 0;
    inspector_finish(&parser);
    r->rank->entries += parser.entries;
    r->rank->torn += parser.torn;
    inspector_release(&parser);
    close(fd);
    return rc;
}

static void read_startup(struct inspector_rank *rank, const char *path) {
    char text[1024];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    ssize_t n = read(fd, text, sizeof text);
    close(fd);
    rank->has_startup = n > 0 && inspector_startup_read(slice_of(text, (size_t)n), &rank->startup);
}

static int read_rank(struct inspector_data *data, const char *folder, struct slice name, struct err *err) {
    vec_push(&data->ranks, ((struct inspector_rank){.name = arena_copy(&data->arena, name)}));
    struct inspector_reading r = {.data = data, .rank = &vec_last(&data->ranks)};
    struct strbuf path = {0};
    bool there[FILES] = {0};
    int rc = 0;
    /* the devices first: they tell whether addresses mean one memory */
    for (unsigned i = FILES; rc == 0 && i-- > 0;) {
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/%s", folder, file_names[i]);
        rc = read_file(&r, strbuf_text(&path), &there[i], err);
    }
    decide(&r);
    r.rank->has_buffers_file = there[FILE_BUFFERS];
    r.rank->has_workloads_file = there[FILE_WORKLOADS];
    strbuf_clear(&path);
    strbuf_addf(&path, "%s/startup.yaml", folder);
    read_startup(r.rank, strbuf_text(&path));
    strbuf_release(&path);
    return rc;
}

int inspector_data_read(struct inspector_data *data, const char *folder, const struct chip *chip, struct err *err) {
    *data = (struct inspector_data){.chip = chip, .chip_named = chip != NULL};
    rank_list ranks = {0};
    list_ranks(folder, &ranks);
    int rc = 0;
    if (!ranks.len) rc = read_rank(data, folder, slice_of("", 0), err);
    vec_reserve(&data->ranks, ranks.len);
    for (size_t i = 0; rc == 0 && i < ranks.len; i++) {
        struct strbuf path = {0};
        char name[NUM_ROOM];
        strbuf_addf(&path, "%s/_rank_%llu", folder, (unsigned long long)ranks.items[i]);
        rc = read_rank(data, strbuf_text(&path), slice_of(name, num_write_u64(name, ranks.items[i])), err);
        strbuf_release(&path);
    }
    vec_release(&ranks);
    return rc;
}

void inspector_data_release(struct inspector_data *data) {
    for (size_t i = 0; i < data->ranks.len; i++) {
        struct inspector_rank *rank = &data->ranks.items[i];
        owners_release(&rank->owners);
        strtab_release(&rank->strings);
        vec_release(&rank->ops);
        vec_release(&rank->sent);
        vec_release(&rank->programs);
    }
    vec_release(&data->ranks);
    arena_release(&data->arena);
}
