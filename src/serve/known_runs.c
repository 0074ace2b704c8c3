/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/known_runs.h"

#include <stdlib.h>

#include "base/num.h"

void known_runs_read(struct known_runs *known) {
    *known = (struct known_runs){0};
    struct store *store = history_open(getenv("TTMEM_STORE"), false, &known->problem);
    int rc =
        store ? history_list(store, &(struct history_filter){.limit = KNOWN_RUNS_MOST}, &known->list, &known->problem) : -1;
    if (rc == 0) rc = history_labels(store, &known->list, &known->labels, &known->problem);
    if (rc == 0) history_whole(store, &known->problem);
    history_close(store);
}

void known_runs_release(struct known_runs *known) {
    history_list_release(&known->list);
    history_labels_release(&known->labels);
}

/* Both are rounded figures of the same bytes. */
static bool same_peak(const struct history_listed *listed, const struct report_summary *summary) {
    if (!listed->has_dram || summary->peak[POOL_DRAM] < 0) return listed->has_dram == (summary->peak[POOL_DRAM] >= 0);
    int64_t apart = num_bytes_to_milli_mb((uint64_t)listed->dram) - summary->peak[POOL_DRAM];
    return apart >= -1 && apart <= 1;
}

const struct history_listed *known_run_of(const struct known_runs *known, const char *name,
                                          const struct report_summary *summary) {
    for (size_t i = 0; i < known->list.runs.len; i++) {
        const struct history_listed *listed = &known->list.runs.items[i];
        if (listed->run.ops == summary->ops && slice_equal(listed->run.name, slice_from(name)) && same_peak(listed, summary))
            return listed;
    }
    return NULL;
}

void known_labels(struct strbuf *out, const struct known_runs *known, int64_t run) {
    size_t low = 0, high = known->labels.items.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (known->labels.items.items[middle].run < run) low = middle + 1;
        else high = middle;
    }
    for (size_t i = low; i < known->labels.items.len && known->labels.items.items[i].run == run; i++) {
        const struct history_label *label = &known->labels.items.items[i].label;
        if (i > low) strbuf_addz(out, ", ");
        strbuf_add(out, label->name);
        strbuf_addc(out, '=');
        strbuf_add(out, label->value);
    }
}
