/* SPDX-License-Identifier: Apache-2.0 */
/* The only code that appends to a run. The fold of a log and every reader use it, so that steps, records, blocks and types
 * mean the same for every input.
 *
 *     run_write_begin(&w, &run, RUN_LOG);
 *     ... ranks, types, ops, steps, blocks, executions, tensors, modules, failures, in order of events ...
 *     run_write_end(&w);     links, numbers and derives what only the complete run shows; releases the writer
 *
 * Texts are copied. Returned pointers are valid until the next call. */
#ifndef TTMEM_MODEL_RUN_WRITE_H
#define TTMEM_MODEL_RUN_WRITE_H

#include "model/run.h"

struct run_writer {
    struct run *run;
    struct map ops, types; /* by content */
    bool has_void;         /* there are steps of kind STEP_VOID */
    uint16_t last_config[POOL_COUNT];
};

void run_write_begin(struct run_writer *w, struct run *run, enum run_origin origin);

/* The rank of that name; *added: it is new. */
uint16_t run_write_rank(struct run_writer *w, struct slice name, bool *added);

/* Types are kept once per text. */
uint32_t run_write_type(struct run_writer *w, const struct tensor_type *type);

/* The op of that text, or NONE if it must be written: then with its operands and results in `refs`. */
uint32_t run_write_known_op(const struct run_writer *w, struct hash128 hash);
uint32_t run_write_op(struct run_writer *w, const struct op *op, const struct op_ref *refs);

struct step *run_write_step(struct run_writer *w, uint16_t rank, enum step_kind kind, uint64_t line);

/* Makes the step a record, an op or a state of its own, with the next index. */
void run_write_record(struct run_writer *w, struct step *step);

/* A heading without a block: neither a step nor a record. */
void run_write_void(struct run_writer *w, struct step *step);

static inline bool run_write_is_config(const struct pool_config *c, enum pool pool, uint32_t banks, uint32_t total,
                                       int16_t rest) {
    return c->pool == pool && c->banks == banks && c->total == total && c->rest == rest;
}

uint16_t run_write_other_config(struct run_writer *w, enum pool pool, uint32_t banks, uint32_t total, int16_t rest);

/* `rest`: remainder of `total` in bytes, usually 0. Asked for every pool of every block, and it hardly ever changes. */
static inline uint16_t run_write_config(struct run_writer *w, enum pool pool, uint32_t banks, uint32_t total, int16_t rest) {
    uint16_t last = w->last_config[pool];
    const struct run *run = w->run;
    if (last < run->configs.len && run_write_is_config(&run->configs.items[last], pool, banks, total, rest)) return last;
    return run_write_other_config(w, pool, banks, total, rest);
}

/* The memory state before a step; the caller fills in its pools and then reports it complete. */
struct block *run_write_block(struct run_writer *w, struct step *step, uint64_t line);
void run_write_block_done(struct run_writer *w, uint32_t number);

/* The device that a block with a DRAM pool implies. */
const struct chip *block_device(const struct run *run, const struct block *block, struct memory_geometry *out);

/* A program begins: the execution's steps are those written until it ends. */
uint32_t run_write_execution(struct run_writer *w, const struct execution *execution);
void run_write_execution_end(struct run_writer *w, uint32_t number, bool finished, uint64_t line);

uint32_t run_write_tensor(struct run_writer *w, const struct tensor *tensor);
/* A tensor with a known address; either all tensors of a run have one or none has. */
uint32_t run_write_tensor_at(struct run_writer *w, const struct tensor *tensor, uint64_t address);

uint32_t run_write_module(struct run_writer *w, const struct module *module);
void run_write_registry(struct run_writer *w, const struct registry_entry *entry);

/* The failure's number in run.failures, with SITE_NOTE in run.notes; NONE if there are too many. */
uint32_t run_write_failure(struct run_writer *w, const struct failure *failure, uint64_t line, struct failure_site site,
                           bool *is_new);

void run_write_end(struct run_writer *w);

/* run_lifetimes.c: how long results and arguments live; part of the end. */
void run_note_loss(struct run *run, struct step *step); /* lines of the log are missing before it */
void run_link_partial(struct run *run);                 /* programs that lack some of a module's ops */
void run_link_lifetimes(struct run_writer *w);
void run_link_buffers(struct run *run);        /* which registry entries are one buffer */
void run_link_arguments(struct run_writer *w); /* that part again, for programs whose module is found later */

/* run_handed.c: results that became arguments of later programs; after the arguments. */
void run_link_handed(struct run *run);

/* run_devices.c: ops and tensors of parts and ranks on another kind of device get types for it; part of the end. */
void run_link_devices(struct run *run);

#endif
