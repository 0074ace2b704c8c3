/* SPDX-License-Identifier: Apache-2.0 */
#include "usage/usage.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/try.h"

#define NO_DEVICE_INDEX ((size_t)-1)

static void lift(int64_t *peak, int64_t value) {
    if (value > *peak) *peak = value;
}

static bool per_bank(enum mem_type type) { return type == MEM_L1 || type == MEM_L1_SMALL; }

/* Bytes per core from the event's own figure, else pages spread over `cores`. */
static uint64_t usage_per_core(const struct mem_event *event, unsigned interleaved_cores) {
    if (event->size_per_bank) return event->size_per_bank;
    uint64_t cores = event->num_cores ? event->num_cores : interleaved_cores ? interleaved_cores : 1, bytes;
    if (!event->page_size) return num_ceil_div(event->size, cores);
    if (!num_mul(num_ceil_div(num_ceil_div(event->size, event->page_size), cores), event->page_size, &bytes))
        return MEM_SIZE_MAX;
    return bytes < MEM_SIZE_MAX ? bytes : MEM_SIZE_MAX;
}

void usage_init(struct usage *usage) { *usage = (struct usage){0}; }

void usage_release(struct usage *usage) {
    for (size_t i = 0; i < usage->devices_len; i++) {
        struct usage_device *device = &usage->devices[i];
        program_free(&device->program);
        for (size_t t = 0; t < MEM_TYPES; t++) {
            idmap_release(&device->by_address[t]);
            idmap_release(&device->by_id[t]);
        }
        free(device->dram_peak.gone.items);
        free(device->l1_peak.gone.items);
    }
    free(usage->devices);
    free(usage->live.items);
    idmap_release(&usage->device_index);
    idmap_release(&usage->released);
    usage_init(usage);
}

void usage_next_segment(struct usage *usage) {
    usage->segment++;
    usage->upstream = (struct usage_upstream){0};
    for (size_t i = 0; i < usage->devices_len; i++) {
        struct usage_device *device = &usage->devices[i];
        memset(device->pools, 0, sizeof device->pools);
        program_clear(&device->program);
        device->l1 = (struct usage_l1){.peak_buffer = device->l1_alive,
                                       .peak_total = device->l1_alive,
                                       .buffer_at_peak = device->l1_alive,
                                       .at_start = device->l1_alive,
                                       .at_end = device->l1_alive};
        device->dram_peak.serial = device->l1_peak.serial = usage->serial;
        device->dram_peak.gone.len = device->l1_peak.gone.len = 0;
    }
}

static enum usage_result device_of(struct usage *usage, uint64_t id, size_t *index) {
    const uint32_t *found = idmap_find(&usage->device_index, id);
    if (found) {
        *index = *found;
        return USAGE_OK;
    }
    if (usage->devices_len == USAGE_DEVICES_MAX) return USAGE_TOO_MANY_DEVICES;
    if (!try_reserve_in((void **)&usage->devices, &usage->devices_cap, usage->devices_len + 1, sizeof *usage->devices))
        return USAGE_NO_MEMORY;
    if (!idmap_set(&usage->device_index, id, (uint32_t)usage->devices_len)) return USAGE_NO_MEMORY;
    *index = usage->devices_len++;
    struct usage_device *device = &usage->devices[*index];
    *device = (struct usage_device){.id = id};
    device->dram_peak.serial = device->l1_peak.serial = usage->serial;
    return USAGE_OK;
}

enum usage_result usage_tie(struct usage *usage, uint64_t chip, uint64_t mesh) {
    size_t chip_index, mesh_index;
    enum usage_result result = device_of(usage, chip, &chip_index);
    if (result == USAGE_OK) result = device_of(usage, mesh, &mesh_index);
    if (result != USAGE_OK) return result;
    usage->devices[chip_index].tied = chip != mesh;
    usage->devices[chip_index].mesh = mesh;
    return USAGE_OK;
}

/* The device that holds the buffers of a chip. */
static size_t owner_of(const struct usage *usage, size_t index) {
    const struct usage_device *device = &usage->devices[index];
    if (device->tied) return *idmap_find(&usage->device_index, device->mesh);
    if (device->has_buffers) return index;
    size_t only = NO_DEVICE_INDEX;
    for (size_t i = 0; i < usage->devices_len; i++) {
        if (!usage->devices[i].has_buffers) continue;
        if (only != NO_DEVICE_INDEX) return index;
        only = i;
    }
    /* a device with its own circular buffers is a separate chip */
    return only == NO_DEVICE_INDEX || usage->devices[only].has_program ? index : only;
}

uint64_t usage_owner(const struct usage *usage, const struct mem_event *event) {
    uint64_t id = event->has_device ? event->device : USAGE_NO_DEVICE;
    const uint32_t *index = idmap_find(&usage->device_index, id);
    return index ? usage->devices[owner_of(usage, *index)].id : id;
}

/* --- live buffers --- */

static struct usage_buffer *live_add(struct usage *usage) {
    struct usage_buffers *live = &usage->live;
    uint32_t index = usage->live_unused;
    if (index) {
        usage->live_unused = live->items[index].next_unused;
    } else {
        if (!vec_try_reserve(live, (live->len ? live->len : 1) + 1)) return NULL;
        if (!live->len) live->items[live->len++] = (struct usage_buffer){0};
        index = (uint32_t)live->len++;
    }
    return &live->items[index];
}

static void live_drop(struct usage *usage, struct usage_buffer *buffer) {
    *buffer = (struct usage_buffer){.next_unused = usage->live_unused};
    usage->live_unused = (uint32_t)(buffer - usage->live.items);
}

static const uint32_t *find_index(const struct usage_device *device, const struct mem_event *event) {
    const uint32_t *found = NULL;
    /* If devices are not distinguished, equal addresses may be on different ones; the id is then safer. */
    if (!event->has_device && event->id) found = idmap_find(&device->by_id[event->type], event->id);
    if (!found && event->address) found = idmap_find(&device->by_address[event->type], event->address);
    if (!found && event->id) found = idmap_find(&device->by_id[event->type], event->id);
    return found;
}

/* The live buffer that an event of this device, type, address or id names; NULL: none. */
static struct usage_buffer *usage_find(const struct usage *usage, const struct mem_event *event) {
    const uint32_t *index = idmap_find(&usage->device_index, event->has_device ? event->device : USAGE_NO_DEVICE);
    if (!index) return NULL;
    const uint32_t *found = find_index(&usage->devices[*index], event);
    return found ? &usage->live.items[*found] : NULL;
}

void usage_resolve_free(const struct usage *usage, struct mem_event *event) {
    if (event->kind != MEM_FREE || event->address || usage_find(usage, event)) return;
    uint64_t device = event->has_device ? event->device : USAGE_NO_DEVICE;
    const struct usage_buffer *oldest = NULL;
    for (size_t i = 1; i < usage->live.len; i++) {
        const struct usage_buffer *buffer = &usage->live.items[i];
        if (!buffer->nameless || buffer->segment == usage->segment || buffer->device != device) continue;
        if (buffer->type != event->type || buffer->size != event->size) continue;
        if (!oldest || buffer->serial < oldest->serial) oldest = buffer;
    }
    if (!oldest) return;
    event->address = oldest->address;
    event->id = oldest->id;
}

void usage_describe(struct usage *usage, uint64_t id, uint32_t description) {
    for (size_t d = 0; d < usage->devices_len; d++)
        for (size_t t = 0; t < MEM_TYPES; t++) {
            const uint32_t *found = idmap_find(&usage->devices[d].by_id[t], id);
            if (found) usage->live.items[*found].description = description;
        }
}

static void forget_names(const struct usage *usage, struct usage_device *device, const struct usage_buffer *buffer) {
    uint32_t index = (uint32_t)(buffer - usage->live.items);
    const uint32_t *named = buffer->address ? idmap_find(&device->by_address[buffer->type], buffer->address) : NULL;
    if (named && *named == index) idmap_remove(&device->by_address[buffer->type], buffer->address);
    named = buffer->id ? idmap_find(&device->by_id[buffer->type], buffer->id) : NULL;
    if (named && *named == index) idmap_remove(&device->by_id[buffer->type], buffer->id);
}

static void keep_for_moment(struct usage *usage, struct usage_device *device, const struct usage_buffer *buffer) {
    struct usage_moment *moment = buffer->type == MEM_DRAM ? &device->dram_peak : &device->l1_peak;
    if (!usage->keep_moments || buffer->serial > moment->serial) return;
    if (buffer->type != MEM_DRAM && buffer->type != MEM_L1) return;
    if (vec_try_reserve(&moment->gone, moment->gone.len + 1)) moment->gone.items[moment->gone.len++] = *buffer;
}

static void new_moment(struct usage *usage, struct usage_moment *moment) {
    moment->serial = usage->serial;
    moment->gone.len = 0;
}

/* --- peaks --- */

static void lift_l1_total(struct usage *usage, struct usage_device *device, const struct program_bytes *program,
                          int64_t buffers) {
    int64_t total = sat_add(program->total, buffers);
    if (total <= device->l1.peak_total) return;
    device->l1.peak_total = total;
    device->l1.program_at_peak = *program;
    device->l1.buffer_at_peak = buffers;
    device->l1.peak_tag = usage->tag;
    new_moment(usage, &device->l1_peak);
}

/* The buffers on `owner` have grown: every chip that has them has a new total. */
static void lift_l1_buffers(struct usage *usage, size_t owner) {
    int64_t alive = usage->devices[owner].l1_alive;
    for (size_t i = 0; i < usage->devices_len; i++) {
        if (i != owner && (!usage->devices[i].has_program || owner_of(usage, i) != owner)) continue;
        struct usage_device *chip = &usage->devices[i];
        lift(&chip->l1.peak_buffer, alive);
        lift_l1_total(usage, chip, &chip->program.most, alive);
        if (i != owner) lift_l1_total(usage, &usage->devices[owner], &chip->program.most, alive);
    }
}

static void lift_program(struct usage *usage, struct usage_device *device, const struct program_bytes *most, int64_t buffers) {
    lift(&device->l1.peak_circular, most->circular);
    lift(&device->l1.peak_dataflow, most->dataflow);
    lift(&device->l1.peak_scratchpad, most->scratchpad);
    lift(&device->l1.peak_buffer, buffers);
    lift_l1_total(usage, device, most, buffers);
}

/* --- events --- */

static void add_to_pool(struct usage *usage, struct usage_device *device, enum mem_type type, int64_t bytes) {
    struct usage_pool *pool = &device->pools[type];
    pool->allocations++;
    pool->allocated = sat_add(pool->allocated, bytes);
    pool->current = sat_add(pool->current, bytes);
    if (pool->current <= pool->peak) return;
    pool->peak = pool->current;
    pool->peak_tag = usage->tag;
    if (type == MEM_DRAM) new_moment(usage, &device->dram_peak);
}

static void take_from_pool(struct usage_pool *pool, int64_t bytes, bool earlier) {
    pool->frees++;
    pool->freed = sat_add(pool->freed, bytes);
    pool->current = sat_add(pool->current, -bytes);
    if (!earlier) return;
    pool->frees_earlier++;
    pool->freed_earlier = sat_add(pool->freed_earlier, bytes);
}

static void change_l1(struct usage *usage, struct usage_device *device, int64_t bytes) {
    device->l1.at_end = device->l1_alive = sat_add(device->l1_alive, bytes);
    usage->l1_change = sat_add(usage->l1_change, bytes);
    usage->l1_serial = usage->serial;
}

static void end_buffer(struct usage *usage, struct usage_device *device, struct usage_buffer *buffer) {
    take_from_pool(&device->pools[buffer->type], buffer->counted, buffer->segment != usage->segment);
    if (buffer->type == MEM_DRAM) usage->dram_change = sat_add(usage->dram_change, -buffer->counted);
    if (buffer->type == MEM_L1) change_l1(usage, device, -buffer->counted);
    keep_for_moment(usage, device, buffer);
    forget_names(usage, device, buffer);
    live_drop(usage, buffer);
}

static int64_t counted_bytes(const struct usage *usage, const struct mem_event *event) {
    return (int64_t)(per_bank(event->type) ? usage_per_core(event, usage->interleaved_cores) : event->size);
}

static enum usage_result allocate(struct usage *usage, size_t index, const struct mem_event *event) {
    struct usage_device *device = &usage->devices[index];
    device->has_buffers = true;
    const uint32_t *same = find_index(device, event);
    const struct usage_buffer *before = same ? &usage->live.items[*same] : NULL;
    if (before && (event->has_device || before->id == event->id || before->segment != usage->segment)) {
        device->pools[event->type].frees_unseen++;
        end_buffer(usage, device, &usage->live.items[*same]);
    }
    struct usage_buffer *buffer = live_add(usage);
    if (!buffer) return USAGE_NO_MEMORY;
    *buffer = (struct usage_buffer){.device = device->id,
                                    .address = event->address,
                                    .id = event->id,
                                    .size = event->size,
                                    .counted = counted_bytes(usage, event),
                                    .serial = usage->serial,
                                    .tag = usage->tag,
                                    .segment = usage->segment,
                                    .nameless = !event->address || event->simulated,
                                    .type = event->type};
    uint32_t slot = (uint32_t)(buffer - usage->live.items);
    if ((event->address && !idmap_set(&device->by_address[event->type], event->address, slot)) ||
        (event->id && !idmap_set(&device->by_id[event->type], event->id, slot))) {
        forget_names(usage, device, buffer);
        live_drop(usage, buffer);
        return USAGE_NO_MEMORY;
    }
    int64_t bytes = buffer->counted;
    add_to_pool(usage, device, event->type, bytes);
    if (event->type == MEM_DRAM) usage->dram_change = sat_add(usage->dram_change, bytes);
    if (event->type == MEM_L1) {
        change_l1(usage, device, bytes);
        lift_l1_buffers(usage, index);
    }
    return USAGE_OK;
}

static void release(struct usage *usage, struct usage_device *device, const struct mem_event *event) {
    const uint32_t *found = find_index(device, event);
    if (found) {
        end_buffer(usage, device, &usage->live.items[*found]);
        return;
    }
    /* From before the capture. L1 counts what is known to be alive, so nothing falls there. */
    int64_t bytes = counted_bytes(usage, event);
    take_from_pool(&device->pools[event->type], bytes, true);
    device->pools[event->type].frees_unknown++;
    if (event->type == MEM_DRAM) usage->dram_change = sat_add(usage->dram_change, -bytes);
}

static enum usage_result add_program(struct usage *usage, size_t index, const struct mem_event *event) {
    struct usage_device *device = &usage->devices[index];
    device->has_program = true;
    if (event->borrowed) return USAGE_OK;
    if (!program_add(&device->program, event)) return USAGE_NO_MEMORY;
    size_t owner = owner_of(usage, index);
    int64_t buffers = usage->devices[owner].l1_alive;
    lift_program(usage, device, &device->program.most, buffers);
    if (owner != index) lift_program(usage, &usage->devices[owner], &device->program.most, buffers);
    return USAGE_OK;
}

/* A release on a mesh releases the programs on its chips; a release without a device, or on one that is not tied to a chip,
 * releases the programs of all chips that it may mean, except chips that release their own. */
static bool is_released(const struct usage *usage, size_t index, const struct mem_event *event) {
    const struct usage_device *device = &usage->devices[index];
    if (!event->has_device || device->id == event->device || usage->devices[owner_of(usage, index)].id == event->device)
        return true;
    const uint32_t *named = idmap_find(&usage->device_index, event->device);
    bool names_a_chip = named && usage->devices[*named].has_program;
    bool names_itself = idmap_find(&usage->released, device->id) != NULL;
    return !names_a_chip && !names_itself && !device->tied && !device->has_buffers && owner_of(usage, index) == index;
}

static enum usage_result release_program(struct usage *usage, const struct mem_event *event) {
    if (event->has_device && usage->released.len < USAGE_DEVICES_MAX && !idmap_set(&usage->released, event->device, 0))
        return USAGE_NO_MEMORY;
    for (size_t i = 0; i < usage->devices_len; i++)
        if (usage->devices[i].has_program && is_released(usage, i, event)) program_clear(&usage->devices[i].program);
    return USAGE_OK;
}

void usage_programs_end(struct usage *usage) {
    for (size_t i = 0; i < usage->devices_len; i++) program_clear(&usage->devices[i].program);
}

enum usage_result usage_event(struct usage *usage, const struct mem_event *event) {
    usage->serial++;
    usage->dram_change = usage->l1_change = 0;
    upstream_event(&usage->upstream, event, usage->interleaved_cores);
    if (event->kind == MEM_RELEASE_PROGRAM) return release_program(usage, event);
    if (event->kind == MEM_NONE) return USAGE_OK;
    size_t index;
    enum usage_result result = device_of(usage, event->has_device ? event->device : USAGE_NO_DEVICE, &index);
    if (result != USAGE_OK) return result;
    if (event->kind == MEM_ALLOCATE) return allocate(usage, index, event);
    if (event->kind == MEM_FREE) release(usage, &usage->devices[index], event);
    else return add_program(usage, index, event);
    return USAGE_OK;
}

/* --- reading --- */

bool usage_lowest_l1(const struct usage *usage, uint64_t device, uint64_t *address) {
    bool found = false;
    for (size_t i = 1; i < usage->live.len; i++) {
        const struct usage_buffer *buffer = &usage->live.items[i];
        if (!buffer->serial || buffer->type != MEM_L1 || buffer->device != device || !buffer->address) continue;
        if (!found || buffer->address < *address) *address = buffer->address;
        found = true;
    }
    return found;
}

void usage_each_live(const struct usage *usage, void (*each)(void *, const struct usage_buffer *), void *context) {
    for (size_t i = 1; i < usage->live.len; i++)
        if (usage->live.items[i].serial) each(context, &usage->live.items[i]);
}

void usage_each_at_peak(const struct usage *usage, const struct usage_device *device, bool l1,
                        void (*each)(void *, const struct usage_buffer *), void *context) {
    const struct usage_moment *moment = l1 ? &device->l1_peak : &device->dram_peak;
    enum mem_type type = l1 ? MEM_L1 : MEM_DRAM;
    for (size_t i = 1; i < usage->live.len; i++) {
        const struct usage_buffer *buffer = &usage->live.items[i];
        if (buffer->serial && buffer->serial <= moment->serial && buffer->device == device->id && buffer->type == type)
            each(context, buffer);
    }
    for (size_t i = 0; i < moment->gone.len; i++) each(context, &moment->gone.items[i]);
}
