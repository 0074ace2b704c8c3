/* SPDX-License-Identifier: Apache-2.0 */
#include "work/place.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/run/holders.h"
#include "analysis/run/peaks.h"
#include "work/open.h"

/* The record of the same rank before a step, or NONE. */
static uint32_t record_before(const struct run *run, uint32_t step) {
    uint16_t rank = run->steps.items[step].rank;
    for (size_t i = step; i-- > 0;)
        if (run->steps.items[i].rank == rank && run->steps.items[i].record != NONE) return run->steps.items[i].record;
    return NONE;
}

static int find_peak(const struct input *in, int rank, struct live_place *place, struct err *err) {
    struct peaks peaks, *by_rank = mem_zalloc(in->run.ranks.len + 1, sizeof *by_rank);
    peaks_find(&in->run, &peaks, by_rank);
    if (rank >= 0) peaks = by_rank[rank];
    free(by_rank);
    const struct peak *peak = &peaks.pools[place->pool];
    struct peak whole;
    if (peak_of_all_banks(&in->run, peak, &whole)) peak = &whole;
    if (!peak->seen)
        return err_set(err, ERR_LACKS,
                       "%s has no memory blocks of %s, so no peak: use --at INDEX, or run with TT_RUNTIME_MEMORY_LOG_LEVEL=all",
                       in->path, pool_names[place->pool]);
    if (peak->step == NONE)
        return err_set(err, ERR_LACKS,
                       "the %s peak of %s is known only from a failure message (line %llu) with no op near it: use --at INDEX",
                       pool_names[place->pool], in->path, (unsigned long long)peak->line);
    place->is_peak = true;
    place->peak = *peak;
    place->block = peak->block;
    place->step = peak->step;
    place->after_record = peak->after_record;
    place->before_record = peak->before_record;
    return 0;
}

int place_find(const struct input *in, const char *at, const char *rank_word, struct live_place *place, struct err *err) {
    const struct run *run = &in->run;
    int rank;
    if (open_rank(in, rank_word, &rank, err) != 0) return -1;
    if (!run->tensors.len && open_needs_ops(in, err) != 0) return -1;
    if (!run->tensors.len && run->origin == RUN_PREDICTED)
        return err_set(err, ERR_LACKS, "%s has no tensor of known size on the device: ttmem predict says why", in->path);
    if (!run->tensors.len && !holders_needed(run) && run->origin == RUN_TTNN_REPORT)
        return err_set(err, ERR_LACKS,
                       "%s has no buffers that can be read: ttmem run --ttnn-report -- COMMAND lets ttnn write them", in->path);
    if (!run->tensors.len && !holders_needed(run))
        return err_set(err, ERR_LACKS,
                       "%s has no op lines that name tensors: build with TT_RUNTIME_DEBUG=ON (debug preset) and set "
                       "TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG",
                       in->path);
    if (!at || strcmp(at, "peak") == 0) return find_peak(in, rank, place, err);
    uint32_t record;
    const char *digits = at + (at[0] == '#');
    if (!digits[0] || strspn(digits, "0123456789") != strlen(digits))
        return err_set(err, ERR_USAGE, "--at takes peak or the number of an op, such as 298, not '%.100s'", at);
    if (open_record(in, at, rank, &record, err) != 0) return -1;
    place->step = run->records.items[record];
    place->block = run->steps.items[place->step].block;
    place->before_record = record;
    place->after_record = record_before(run, place->step);
    return 0;
}
