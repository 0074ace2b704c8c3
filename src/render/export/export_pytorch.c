/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot as torch.cuda.memory._dump_snapshot writes it, for PyTorch's viewer. A "device" is a pool of a rank: DRAM of
 * the first rank is 0, its L1 is 1, and so on. Sizes are bytes per bank. Each device has one segment, the whole pool;
 * tensors without an address are placed as the runtime's allocator would: first fit. */
#include <stdlib.h>

#include "analysis/run/module_path.h"
#include "analysis/run/peak_stacks.h"
#include "base/num.h"
#include "device/allocator.h"
#include "render/export/export.h"
#include "render/export/pickle.h"
#include "render/format/warning_words.h"

enum word {
    WORD_ACTION,
    WORD_ADDR,
    WORD_SIZE,
    WORD_STREAM,
    WORD_FRAMES,
    WORD_TIME,
    WORD_ALLOC,
    WORD_FREE_REQUESTED,
    WORD_FREE_COMPLETED,
    WORD_NAME,
    WORD_FILENAME,
    WORD_LINE,
    WORD_COUNT
};

static const char *const words[WORD_COUNT] = {"action", "addr",           "size",           "stream", "frames",   "time_us",
                                              "alloc",  "free_requested", "free_completed", "name",   "filename", "line"};

enum { POOLS = 2 /* DRAM and L1 */, ALIGNMENT = 32 };
#define ROOM ((uint64_t)1 << 50)

struct snapshot {
    const struct run *run;
    struct strbuf text;
    struct pickle pickle;
    uint32_t kept_words[WORD_COUNT]; /* number + 1 */
    uint32_t *kept_frames;           /* by op: number + 1 */
    uint32_t *births, *deaths;       /* tensors by the step at which they appear and go */
    uint64_t *address;               /* by tensor */
    struct outfile *file;
    struct err *err;
};

static void put_word(struct snapshot *s, enum word word) {
    if (s->kept_words[word]) {
        pickle_again(&s->pickle, s->kept_words[word] - 1);
        return;
    }
    pickle_text(&s->pickle, slice_from(words[word]));
    s->kept_words[word] = pickle_keep(&s->pickle) + 1;
}

static void put_key(struct snapshot *s, const char *key) { pickle_text(&s->pickle, slice_from(key)); }

static void put_key_integer(struct snapshot *s, const char *key, int64_t n) {
    put_key(s, key);
    pickle_integer(&s->pickle, n);
}

static void put_frame(struct snapshot *s, struct slice name, struct slice file, uint64_t line) {
    pickle_dict(&s->pickle);
    pickle_items(&s->pickle);
    put_word(s, WORD_NAME);
    pickle_text(&s->pickle, name);
    put_word(s, WORD_FILENAME);
    pickle_text(&s->pickle, file);
    put_word(s, WORD_LINE);
    pickle_integer(&s->pickle, line > INT32_MAX ? 0 : (int64_t)line);
    pickle_set(&s->pickle);
    pickle_append(&s->pickle);
}

/* Innermost first, as in Python: the op, the function in its file, the modules from the inside out. */
static void put_op_frames(struct snapshot *s, const struct step *step) {
    struct module_path path;
    struct slice display = step_display(s->run, step);
    module_path_of(display, &path);
    put_frame(s, step_name(s->run, step), path.leaf.len ? path.leaf : display, 0);
    if (path.file.len) put_frame(s, path.function, path.file, path.line);
    for (unsigned i = path.count; i-- > 0;) put_frame(s, path.parts[i], SLICE("module"), 0);
}

static void put_frames(struct snapshot *s, const struct tensor *tensor) {
    const struct step *step = tensor->producer == NONE ? NULL : &s->run->steps.items[tensor->producer];
    uint32_t *kept = step && step->op != NONE ? &s->kept_frames[step->op] : NULL;
    if (kept && *kept) {
        pickle_again(&s->pickle, *kept - 1);
        return;
    }
    pickle_list(&s->pickle);
    if (step) put_op_frames(s, step);
    else {
        struct slice name = tensor_name(s->run, tensor);
        struct strbuf number = {0};
        strbuf_addf(&number, "%%arg%u", tensor->argument);
        put_frame(s, name.len ? name : strbuf_slice(&number), slice_from(live_class_names[tensor_live_class(s->run, tensor)]),
                  0);
        strbuf_release(&number);
    }
    if (kept) *kept = pickle_keep(&s->pickle) + 1;
}

static void put_event(struct snapshot *s, const struct tensor *tensor, enum word action, uint64_t address, uint64_t size,
                      uint32_t step) {
    pickle_dict(&s->pickle);
    pickle_items(&s->pickle);
    put_word(s, WORD_ACTION);
    put_word(s, action);
    put_word(s, WORD_ADDR);
    pickle_integer(&s->pickle, (int64_t)address);
    put_word(s, WORD_SIZE);
    pickle_integer(&s->pickle, (int64_t)size);
    put_word(s, WORD_STREAM);
    pickle_integer(&s->pickle, 0);
    put_word(s, WORD_TIME);
    pickle_integer(&s->pickle, step);
    put_word(s, WORD_FRAMES);
    put_frames(s, tensor);
    pickle_set(&s->pickle);
    pickle_append(&s->pickle);
}

/* Tensors by step, in order of appearance within one; those alive at the end have no death. */
static uint32_t *sort_by_step(const struct run *run, bool births, size_t *count) {
    uint32_t *place = mem_zalloc(run->steps.len + 2, sizeof *place), *order = mem_alloc(sizeof *order * (run->tensors.len + 1));
#define STEP_OF(t) (births ? (t)->born : (t)->gone)
    for (size_t i = 0; i < run->tensors.len; i++) {
        uint32_t step = STEP_OF(&run->tensors.items[i]);
        if (step <= run->steps.len) place[step + 1]++;
    }
    for (size_t i = 0; i <= run->steps.len; i++) place[i + 1] += place[i];
    *count = place[run->steps.len + 1];
    for (size_t i = 0; i < run->tensors.len; i++) {
        uint32_t step = STEP_OF(&run->tensors.items[i]);
        if (step <= run->steps.len) order[place[step]++] = (uint32_t)i;
    }
#undef STEP_OF
    free(place);
    return order;
}

static uint64_t size_of(const struct run *run, const struct tensor *tensor) {
    struct live_sum sum = tensor_sum(run, tensor);
    return sum_by_banks(run, &sum);
}

struct device {
    uint16_t rank;
    enum pool pool;
    struct allocator allocator;
    uint64_t base, end;    /* of its segment */
    size_t births, deaths; /* indices into the snapshot's lists */
};

static bool is_on(const struct snapshot *s, const struct device *device, const struct tensor *tensor) {
    return tensor->rank == device->rank && tensor_in_pool(s->run, tensor, device->pool);
}

static void put_birth(struct snapshot *s, struct device *device, uint32_t id) {
    const struct tensor *tensor = &s->run->tensors.items[id];
    uint64_t size = size_of(s->run, tensor);
    if (!is_on(s, device, tensor) || !size || size > ROOM / 4 || tensor->gone <= tensor->born) return;
    uint64_t address = s->run->addresses.len && s->run->regions.len ? s->run->addresses.items[id] : 0;
    enum allocator_result result = address ? allocator_take_at(&device->allocator, address, size)
                                           : allocator_take(&device->allocator, size, true, &address);
    if (result != ALLOCATOR_OK) return;
    s->address[id] = address;
    if (address < device->base) device->base = address;
    if (address + allocator_round(&device->allocator, size) > device->end)
        device->end = address + allocator_round(&device->allocator, size);
    put_event(s, tensor, WORD_ALLOC, address, size, tensor->born);
}

static void put_death(struct snapshot *s, struct device *device, uint32_t id) {
    const struct tensor *tensor = &s->run->tensors.items[id];
    if (!is_on(s, device, tensor) || !s->address[id]) return;
    uint64_t size = size_of(s->run, tensor);
    put_event(s, tensor, WORD_FREE_REQUESTED, s->address[id], size, tensor->gone);
    put_event(s, tensor, WORD_FREE_COMPLETED, s->address[id], size, tensor->gone);
    allocator_free(&device->allocator, s->address[id]);
    s->address[id] = 0;
}

static int put_trace(struct snapshot *s, struct device *device) {
    pickle_list(&s->pickle);
    size_t death = 0, birth = 0;
    int rc = 0;
    for (; rc == 0 && birth < device->births; birth++) {
        uint32_t step = s->run->tensors.items[s->births[birth]].born;
        for (; death < device->deaths && s->run->tensors.items[s->deaths[death]].gone <= step; death++)
            put_death(s, device, s->deaths[death]);
        put_birth(s, device, s->births[birth]);
        rc = export_flush(&s->text, false, s->file, s->err);
    }
    for (; rc == 0 && death < device->deaths; death++) {
        put_death(s, device, s->deaths[death]);
        rc = export_flush(&s->text, false, s->file, s->err);
    }
    pickle_append(&s->pickle);
    return rc;
}

struct resident {
    uint64_t address;
    uint32_t tensor;
};

static int lower_first(const void *a, const void *b) {
    const struct resident *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static void put_block(struct snapshot *s, const struct tensor *tensor, uint64_t address, uint64_t size) {
    pickle_dict(&s->pickle);
    pickle_items(&s->pickle);
    put_key_integer(s, "address", (int64_t)address);
    put_key_integer(s, "size", (int64_t)size);
    put_key_integer(s, "requested_size", (int64_t)(tensor ? size_of(s->run, tensor) : size));
    put_key(s, "state");
    pickle_text(&s->pickle, tensor ? SLICE("active_allocated") : SLICE("inactive"));
    put_word(s, WORD_FRAMES);
    if (tensor) put_frames(s, tensor);
    else pickle_list(&s->pickle);
    pickle_set(&s->pickle);
    pickle_append(&s->pickle);
}

/* The addresses of the pool if known; else as many as it has bytes, or as are needed. */
static void find_segment(const struct run *run, struct device *device) {
    device->base = ALIGNMENT;
    uint64_t most = 0;
    for (size_t i = 0; i < run->configs.len; i++)
        if (run->configs.items[i].pool == device->pool && run->configs.items[i].total > most)
            most = run->configs.items[i].total;
    device->end = device->base + most * NUM_MIB / 1000;
    for (size_t i = 0; i < run->regions.len; i++) {
        const struct region *region = &run->regions.items[i];
        if (region->rank != device->rank || region->pool != device->pool) continue;
        device->base = region->base;
        device->end = region->base + region->bytes;
    }
}

/* The pool at the end of the run. */
static void put_segment(struct snapshot *s, const struct device *device, unsigned number) {
    VEC(struct resident) residents = {0};
    uint64_t allocated = 0, at = device->base, end = device->end;
    for (uint32_t i = 0; i < s->run->tensors.len; i++)
        if (s->address[i] && is_on(s, device, &s->run->tensors.items[i]))
            vec_push(&residents, ((struct resident){s->address[i], i}));
    if (residents.len) qsort(residents.items, residents.len, sizeof *residents.items, lower_first);
    pickle_dict(&s->pickle);
    pickle_items(&s->pickle);
    put_key_integer(s, "device", number);
    put_key_integer(s, "address", (int64_t)at);
    put_key(s, "blocks");
    pickle_list(&s->pickle);
    for (size_t i = 0; i < residents.len; i++) {
        const struct tensor *tensor = &s->run->tensors.items[residents.items[i].tensor];
        uint64_t size = allocator_round(&device->allocator, size_of(s->run, tensor));
        if (residents.items[i].address > at) put_block(s, NULL, at, residents.items[i].address - at);
        put_block(s, tensor, residents.items[i].address, size);
        allocated += size;
        at = residents.items[i].address + size;
    }
    if (end > at) put_block(s, NULL, at, end - at);
    else end = at;
    put_key_integer(s, "total_size", (int64_t)(end - device->base));
    put_key_integer(s, "allocated_size", (int64_t)allocated);
    put_key_integer(s, "active_size", (int64_t)allocated);
    put_key_integer(s, "requested_size", (int64_t)allocated);
    put_key_integer(s, "stream", 0);
    put_key(s, "segment_type");
    pickle_text(&s->pickle, SLICE("large"));
    pickle_set(&s->pickle);
    pickle_append(&s->pickle);
    vec_release(&residents);
}

static int put_devices(struct snapshot *s, struct device *devices, size_t count) {
    put_key(s, "device_traces");
    pickle_list(&s->pickle);
    for (size_t i = 0; i < count; i++) {
        if (allocator_init(&devices[i].allocator, ALIGNMENT, ROOM, ALIGNMENT) != ALLOCATOR_OK)
            return err_set(s->err, ERR_BUG, "out of host memory");
        find_segment(s->run, &devices[i]);
        if (put_trace(s, &devices[i]) != 0) return -1;
    }
    put_key(s, "segments");
    pickle_list(&s->pickle);
    for (size_t i = 0; i < count; i++) {
        put_segment(s, &devices[i], (unsigned)i);
        if (export_flush(&s->text, false, s->file, s->err) != 0) return -1;
    }
    return 0;
}

static void put_names(struct snapshot *s, const struct output_job *job, const struct device *devices, size_t count) {
    struct strbuf name = {0};
    put_key(s, "ttmem");
    pickle_dict(&s->pickle);
    pickle_items(&s->pickle);
    put_key(s, "version");
    pickle_text(&s->pickle, slice_from(job->version));
    put_key(s, "source");
    pickle_text(&s->pickle, slice_from(job->path));
    put_key(s, "sizes");
    pickle_text(&s->pickle, !banks_known(s->run)         ? SLICE("bytes")
                            : run_l1_is_per_core(s->run) ? SLICE("bytes per bank, L1 per core")
                                                         : SLICE("bytes per bank"));
    put_key(s, "devices");
    pickle_list(&s->pickle);
    for (size_t i = 0; i < count; i++) {
        struct slice rank = run_string(s->run, s->run->ranks.items[devices[i].rank].name);
        strbuf_clear(&name);
        strbuf_addz(&name, pool_names[devices[i].pool]);
        if (rank.len) strbuf_addf(&name, " of rank %.*s", SLICE_FMT(rank));
        pickle_text(&s->pickle, strbuf_slice(&name));
        pickle_append(&s->pickle);
    }
    pickle_set(&s->pickle);
    strbuf_release(&name);
}

int export_pytorch(const struct output_job *job, struct outfile *file, struct err *err) {
    const struct run *run = job->run;
    if (!run->tensors.len)
        return err_set(err, ERR_LACKS,
                       "%s names no tensors, and a snapshot is made of them: build with TT_RUNTIME_DEBUG=ON and set "
                       "TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG",
                       job->path);
    struct snapshot s = {.run = run, .file = file, .err = err};
    size_t births, deaths, count = 0;
    s.pickle.out = &s.text;
    s.births = sort_by_step(run, true, &births);
    s.deaths = sort_by_step(run, false, &deaths);
    s.kept_frames = mem_zalloc(run->ops.len + 1, sizeof *s.kept_frames);
    s.address = mem_zalloc(run->tensors.len + 1, sizeof *s.address);
    struct device *devices = mem_zalloc(run->ranks.len * POOLS + 1, sizeof *devices);
    for (unsigned rank = 0; rank < run->ranks.len; rank++)
        for (unsigned pool = 0; pool < POOLS && (run->ranks.items[rank].records || run->ranks.items[rank].blocks); pool++)
            devices[count++] =
                (struct device){.rank = (uint16_t)rank, .pool = (enum pool)pool, .births = births, .deaths = deaths};
    pickle_begin(&s.pickle);
    pickle_dict(&s.pickle);
    pickle_items(&s.pickle);
    int rc = put_devices(&s, devices, count);
    put_names(&s, job, devices, count);
    pickle_set(&s.pickle);
    pickle_end(&s.pickle);
    if (rc == 0) rc = export_flush(&s.text, true, file, err);
    for (size_t i = 0; i < count; i++) allocator_release(&devices[i].allocator);
    strbuf_release(&s.text);
    free(devices);
    free(s.births);
    free(s.deaths);
    free(s.kept_frames);
    free(s.address);
    return rc;
}
