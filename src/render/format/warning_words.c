/* SPDX-License-Identifier: Apache-2.0 */
#include "render/format/warning_words.h"

static const struct {
    const char *one, *many;
} warning_texts[WARN_COUNT] = {
    [WARN_TRUNCATED_OP] = {"op line is cut", "op lines are cut"},
    [WARN_JOINED_OP] = {"op line was torn by another line and put together again",
                        "op lines were torn by other lines and put together again"},
    [WARN_PARTIAL_BLOCK] = {"memory block is partial", "memory blocks are partial"},
    [WARN_EMPTY_BLOCK] = {"memory heading has no values after it", "memory headings have no values after them"},
    [WARN_BLOCK_WITHOUT_HEADING] = {"memory block has no heading", "memory blocks have no heading"},
    [WARN_MALFORMED_POOL] = {"memory line has no usable number", "memory lines have no usable number"},
    [WARN_OP_WITHOUT_BLOCK] = {"op has no memory block", "ops have no memory block"},
    [WARN_UNFINISHED_PROGRAM] = {"program did not finish", "programs did not finish"},
    [WARN_FINISH_WITHOUT_START] = {"program finished without a start", "programs finished without a start"},
    [WARN_UNCLOSED_MODULE] = {"module dump is not closed", "module dumps are not closed"},
    [WARN_CONFIG_CHANGED] = {"change of the memory configuration", "changes of the memory configuration"},
    [WARN_CUT_INPUT] = {"input is cut or damaged: what came after that is missing",
                        "inputs are cut or damaged: what came after that is missing"},
    [WARN_PARTS_UNREAD] = {"part of the input could not be read and is left out",
                           "parts of the input could not be read and are left out"},
    [WARN_NEWER_SCHEMA] = {"database is of a newer schema than this ttmem knows: what is named otherwise there is missing",
                           "databases are of a newer schema than this ttmem knows: what is named otherwise there is missing"},
    [WARN_LOST_LINES] = {"place where lines of the log are missing", "places where lines of the log are missing"},
    [WARN_DROPPED] = {"message was dropped, as its logger says", "messages were dropped, as their logger says"},
    [WARN_PER_CORE_L1] =
        {"run allocates L1 core by core (TT_METAL_ALLOCATOR_MODE_HYBRID): its L1 figures are those of a core, and cores "
         "differ",
         "runs allocate L1 core by core (TT_METAL_ALLOCATOR_MODE_HYBRID): their L1 figures are those of a core, and "
         "cores differ"},
    [WARN_RANK_UNREAD] = {"rank has no log that can be read: what the rank held is missing",
                          "ranks have no log that can be read: what they held is missing"},
};

const char *pool_unit(const struct run *run, enum pool pool) {
    return pool == POOL_L1 && run_l1_is_per_core(run) ? "core" : "bank";
}

const char *pools_unit(const struct run *run) { return run_l1_is_per_core(run) ? "bank (L1: per core)" : "bank"; }

const char *warning_words(enum warning kind, uint64_t count) {
    return count == 1 ? warning_texts[kind].one : warning_texts[kind].many;
}
