/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inspector/data.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "base/rank_folders.h"

enum { BLOCK = 1 << 20, SAMPLE = 1 << 16 };

static const char *const file_names[] = {"mesh_buffers_log.yaml", "mesh_workloads_log.yaml", "programs_log.yaml",
                                         "mesh_devices_log.yaml"};
enum { FILE_BUFFERS, FILE_WORKLOADS, FILE_PROGRAMS, FILE_DEVICES, FILES };

_Static_assert((int)FILES == (int)INSPECTOR_FILES, "files");

/* The first buffer events wait until the best-fitting chip is known. */
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
static bool rank_folder_number(const char *name, uint64_t *number) {
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
        if (rank_folder_number(entry->d_name, &number)) vec_push(out, number);
    if (list) closedir(list);
    if (out->len) qsort(out->items, out->len, sizeof *out->items, rising);
}

static bool has_inspector(const char *path, struct strbuf *folder) {
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

/* Lists the rank folders that hold Inspector files. */
static void list_rank_folders(const char *path, rank_list *out) {
    struct rank_folders ranks;
    struct strbuf below = {0}, folder = {0};
    rank_folders_find(&ranks, path);
    for (size_t i = 0; i < ranks.numbers.len; i++) {
        strbuf_clear(&below);
        strbuf_addf(&below, "%s/rank.%llu", path, (unsigned long long)ranks.numbers.items[i]);
        if (has_inspector(strbuf_text(&below), &folder)) vec_push(out, ranks.numbers.items[i]);
    }
    rank_folders_release(&ranks);
    strbuf_release(&below);
    strbuf_release(&folder);
}

bool inspector_of_ranks(const char *path) {
    rank_list ranks = {0};
    list_rank_folders(path, &ranks);
    bool any = ranks.len > 0;
    vec_release(&ranks);
    return any;
}

bool inspector_folder_of(const char *path, struct strbuf *folder) {
    if (has_inspector(path, folder)) return true;
    strbuf_clear(folder);
    strbuf_addz(folder, path);
    return inspector_of_ranks(path);
}

/* --- events --- */

static void take_other(struct inspector_rank *rank, const struct inspector_event *event) {
    switch (event->kind) {
        case INSPECTOR_RUNTIME_ENTRY:
            vec_push(&rank->ops, ((struct inspector_op){event->time_ns, event->id, strtab_id(&rank->strings, event->name), 0}));
            specs_take(&rank->specs, &rank->strings, event->parameters);
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

/* The number of buffers that begin where their neighbour ends, if it is this chip; 0 if an address is beyond its memory. */
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

/* A chip that the first buffers fit twice as well as the named one; or NULL. */
static const struct chip *likelier_chip(const struct chip *named, const struct inspector_event *events, size_t count) {
    const struct chip *likely = likely_chip(events, count);
    uint64_t best = fit(likely, events, count), own = fit(named, events, count);
    return best / 2 > own && best > 32 ? likely : NULL;
}

static void decide(struct inspector_reading *r) {
    if (r->decided) return;
    r->decided = true;
    if (!r->data->chip) r->data->chip = likely_chip(r->sample.items, r->sample.len);
    else if (r->data->chip_named && !r->data->likelier)
        r->data->likelier = likelier_chip(r->data->chip, r->sample.items, r->sample.len);
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

/* Reads what a file has gained since. Reads instead of mapping, because opening the device again empties the file. */
static int read_more(struct inspector_rank *rank, struct inspector_file *file, const char *name, enum inspector_news *news,
                     struct err *err) {
    struct strbuf path = {0};
    struct stat by_name, by_fd;
    int rc = 0;
    strbuf_addf(&path, "%s/%s", strbuf_text(&rank->folder), name);
    bool there = stat(strbuf_text(&path), &by_name) == 0;
    if (file->fd < 0) {
        file->fd = open(strbuf_text(&path), O_RDONLY | O_CLOEXEC);
        if (file->fd < 0 && errno != ENOENT) rc = err_set_errno(err, ERR_INPUT, "cannot open '%s'", strbuf_text(&path));
    } else if (fstat(file->fd, &by_fd) == 0 &&
               (!there || by_name.st_ino != by_fd.st_ino || (uint64_t)by_fd.st_size < file->at)) {
        *news = INSPECTOR_CLEARED;
    }
    ssize_t n = 0;
    while (rc == 0 && file->fd >= 0 && *news != INSPECTOR_CLEARED &&
           ((n = pread(file->fd, inspector_room(&file->parser, BLOCK), BLOCK, (off_t)file->at)) > 0 ||
            (n < 0 && errno == EINTR))) {
        if (n < 0) continue;
        rank->bytes += (uint64_t)n;
        file->at += (uint64_t)n;
        inspector_took(&file->parser, (size_t)n);
        *news = INSPECTOR_GREW;
    }
    if (n < 0) rc = err_set_errno(err, ERR_INPUT, "cannot read '%s'", strbuf_text(&path));
    strbuf_release(&path);
    return rc;
}

static void read_startup(struct inspector_rank *rank) {
    struct strbuf path = {0};
    char text[1024];
    strbuf_addf(&path, "%s/startup.yaml", strbuf_text(&rank->folder));
    int fd = open(strbuf_text(&path), O_RDONLY | O_CLOEXEC);
    strbuf_release(&path);
    if (fd < 0) return;
    ssize_t n = read(fd, text, sizeof text);
    close(fd);
    rank->has_startup = n > 0 && inspector_startup_read(slice_of(text, (size_t)n), &rank->startup);
}

static void add_rank(struct inspector_data *data, const char *folder, struct slice name) {
    vec_push(&data->ranks, ((struct inspector_rank){.name = arena_copy(&data->arena, name)}));
    strbuf_addz(&vec_last(&data->ranks).folder, folder);
}

/* From here on ranks must not move, because readers point to them. */
static void begin_rank(struct inspector_data *data, struct inspector_rank *rank) {
    rank->reading = mem_zalloc(1, sizeof *rank->reading);
    *rank->reading = (struct inspector_reading){.data = data, .rank = rank};
    for (unsigned i = 0; i < FILES; i++) {
        rank->files[i].fd = -1;
        inspector_init(&rank->files[i].parser, take_event, rank->reading);
    }
}

void inspector_data_open(struct inspector_data *data, const char *folder, const struct chip *chip) {
    *data = (struct inspector_data){.chip = chip, .chip_named = chip != NULL};
    rank_list ranks = {0};
    list_ranks(folder, &ranks);
    bool of_ranks = !ranks.len && !has_files(folder);
    if (of_ranks) list_rank_folders(folder, &ranks);
    if (!ranks.len) add_rank(data, folder, slice_of("", 0));
    for (size_t i = 0; i < ranks.len; i++) {
        struct strbuf path = {0}, below = {0};
        char name[NUM_ROOM];
        strbuf_addf(&below, "%s/rank.%llu", folder, (unsigned long long)ranks.items[i]);
        if (of_ranks) has_inspector(strbuf_text(&below), &path);
        else strbuf_addf(&path, "%s/_rank_%llu", folder, (unsigned long long)ranks.items[i]);
        strbuf_release(&below);
        add_rank(data, strbuf_text(&path), slice_of(name, num_write_u64(name, ranks.items[i])));
        strbuf_release(&path);
    }
    vec_release(&ranks);
    for (size_t i = 0; i < data->ranks.len; i++) begin_rank(data, &data->ranks.items[i]);
}

int inspector_data_poll(struct inspector_data *data, enum inspector_news *news, struct err *err) {
    *news = INSPECTOR_SAME;
    for (size_t r = 0; r < data->ranks.len; r++) {
        struct inspector_rank *rank = &data->ranks.items[r];
        /* the devices first: they show whether addresses belong to one memory */
        for (unsigned i = FILES; i-- > 0;)
            if (read_more(rank, &rank->files[i], file_names[i], news, err) != 0) return -1;
        rank->has_buffers_file = rank->files[FILE_BUFFERS].fd >= 0;
        rank->has_workloads_file = rank->files[FILE_WORKLOADS].fd >= 0;
        if (!rank->has_startup) read_startup(rank);
    }
    return 0;
}

static void finish_rank(struct inspector_rank *rank) {
    if (!rank->reading) return;
    for (unsigned i = 0; i < FILES; i++) {
        struct inspector_file *file = &rank->files[i];
        inspector_finish(&file->parser);
        rank->entries += file->parser.entries;
        rank->torn += file->parser.torn;
        inspector_release(&file->parser);
        if (file->fd >= 0) close(file->fd);
        file->fd = -1;
    }
    decide(rank->reading);
    specs_finish(&rank->specs);
    free(rank->reading);
    rank->reading = NULL;
}

void inspector_data_finish(struct inspector_data *data) {
    for (size_t i = 0; i < data->ranks.len; i++) finish_rank(&data->ranks.items[i]);
}

bool inspector_data_is_decided(const struct inspector_data *data) {
    for (size_t i = 0; i < data->ranks.len; i++)
        if (data->ranks.items[i].reading && !data->ranks.items[i].reading->decided) return false;
    return true;
}

void inspector_rank_now(const struct inspector_data *data, const struct inspector_rank *rank, uint64_t sum[POOL_COUNT],
                        uint64_t peak[POOL_COUNT], const struct chip **chip) {
    const struct inspector_reading *r = rank->reading;
    struct owners own;
    const struct owners *owners = &rank->owners;
    bool waits = r && !r->decided;
    *chip = data->chip;
    if (waits) {
        if (!*chip) *chip = likely_chip(r->sample.items, r->sample.len);
        owners_init(&own, *chip);
        for (size_t i = 0; i < r->sample.len; i++) owners_take(&own, &r->sample.items[i]);
        owners = &own;
    }
    memcpy(sum, owners->sum, sizeof owners->sum);
    memcpy(peak, owners->peak, sizeof owners->peak);
    if (waits) owners_release(&own);
}

int inspector_rank_fd(const struct inspector_rank *rank) { return rank->files[FILE_BUFFERS].fd; }

int inspector_data_read(struct inspector_data *data, const char *folder, const struct chip *chip, struct err *err) {
    enum inspector_news news;
    inspector_data_open(data, folder, chip);
    int rc = inspector_data_poll(data, &news, err);
    inspector_data_finish(data);
    return rc;
}

void inspector_data_release(struct inspector_data *data) {
    for (size_t i = 0; i < data->ranks.len; i++) {
        struct inspector_rank *rank = &data->ranks.items[i];
        finish_rank(rank);
        strbuf_release(&rank->folder);
        owners_release(&rank->owners);
        strtab_release(&rank->strings);
        vec_release(&rank->ops);
        specs_release(&rank->specs);
        vec_release(&rank->sent);
        vec_release(&rank->programs);
    }
    vec_release(&data->ranks);
    arena_release(&data->arena);
}
