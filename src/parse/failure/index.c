/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/failure/index.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* Words that rows share, with the four letters that hardly occur in the output of compiler and runtime. Most messages
 * contain two of them, so that one remains if the other is broken by a line end or by doubled spaces. find_any searches the
 * words of a bucket at once, so their mixture must be rare too: with these buckets, one byte in seventeen thousand of
 * runtime logs and module dumps gets a second look. A row without any of them gets a needle of its own, which is placed at
 * every start of the program: permanent ones are better listed here. */
/* clang-format off */
static const struct needle shared_needles[] = {
    NEEDLE_IN(0, "enough", 0), /* enou */
    NEEDLE_IN(0, "exceed", 0), /* exce */
    NEEDLE_IN(0, "MemoryError", 7), /* rror */
    NEEDLE_IN(0, "below", 1), /* elow */
    NEEDLE_IN(0, "ataflow", 3), /* flow */
    NEEDLE_IN(0, "TT_THROW", 4), /* HROW */
    NEEDLE_IN(0, "LLVM ERROR", 6), /* RROR */
    NEEDLE_IN(0, "overflows", 2), /* erfl */
    NEEDLE_IN(0, "tack overflow", 7), /* erfl */
    NEEDLE_IN(1, "usage", 0), /* usag */
    NEEDLE_IN(1, "tatically", 2), /* tica */
    NEEDLE_IN(1, "overlap", 3), /* rlap */
    NEEDLE_IN(1, "EXHAUSTED", 0), /* EXHA */
    NEEDLE_IN(1, "oom_reap", 4), /* reap */
    NEEDLE_IN(1, "SIGTERM to", 3), /* TERM */
    NEEDLE_IN(1, "larger than", 7), /* than */
    NEEDLE_IN(1, "Negate H", 0), /* Nega */
    NEEDLE_IN(1, "communication with the", 4), /* unic */
    NEEDLE_IN(1, "NumHostMemChannels", 0), /* NumH */
    NEEDLE_IN(2, "of Memory:", 0), /* of_M */
    NEEDLE_IN(2, "semaphore", 2), /* maph */
    NEEDLE_IN(2, "OOM on core", 2), /* M_on */
    NEEDLE_IN(2, "Out Of Memory", 4), /* Of_M */
    NEEDLE_IN(2, "least one request", 4), /* t_on */
    NEEDLE_IN(2, "spilled past", 6), /* d_pa */
    NEEDLE_IN(2, "put object", 2), /* t_ob */
    NEEDLE_IN(2, "d-oomd[", 1), /* -oom */
    NEEDLE_IN(2, "suitable buffer", 2), /* itab */
    NEEDLE_IN(2, "Cannot allocate", 4), /* ot_a */
    NEEDLE_IN(2, "emory map end", 4), /* y_ma */
    NEEDLE_IN(2, "ailed to a", 6), /* to_a */
    NEEDLE_IN(2, "ailed to pin", 7), /* o_pi */
    NEEDLE_IN(2, "ailed pinning", 4), /* d_pi */
    NEEDLE_IN(2, "user-allocatable", 10), /* atab */
    NEEDLE_IN(2, ": *** [", 3), /* **_[ */
    NEEDLE_IN(3, "kernel config", 5), /* l_co */
    NEEDLE_IN(3, "ugepage", 0), /* ugep */
    NEEDLE_IN(3, "exit code", 3), /* t_co */
    NEEDLE_IN(3, "extends past", 8), /* past */
    NEEDLE_IN(3, "globally", 2), /* obal */
    NEEDLE_IN(3, "exit status", 3), /* t_st */
    NEEDLE_IN(3, "Cannot add", 5), /* t_ad */
    NEEDLE_IN(3, "Unable to allocate", 8), /* o_al */
    NEEDLE_IN(3, "actual_global (", 9), /* obal */
    NEEDLE_IN(3, "in global cb", 5), /* obal */
    NEEDLE_IN(3, "slice configuration", 4), /* e_co */
    NEEDLE_IN(4, "Program", 1), /* rogr */
    NEEDLE_IN(4, "trace buffers", 3), /* ce_b */
    NEEDLE_IN(4, "worker died", 2), /* rker */
    NEEDLE_IN(4, "refetcher", 5), /* cher */
    NEEDLE_IN(4, "runtime args", 5), /* me_a */
    NEEDLE_IN(4, "contiguous L1", 9), /* s_L1 */
    NEEDLE_IN(4, "must leave room", 8), /* ve_r */
    NEEDLE_IN(4, "trace region", 3), /* ce_r */
    NEEDLE_IN(4, "too large", 2), /* o_la */
    NEEDLE_IN(4, "shutdown signal", 9), /* sign */
    NEEDLE_IN(4, "signal 9", 0), /* sign */
    NEEDLE_IN(4, "requires L1 through", 7), /* s_L1 */
    NEEDLE_IN(4, "Buffer size bytes", 9), /* ze_b */
    NEEDLE_IN(4, "ax L1", 1), /* x_L1 */
    NEEDLE_IN(4, "ServiceCoreManager::", 14), /* ager */
    NEEDLE_IN(4, "full-attention pool", 12), /* on_p */
    NEEDLE_IN(4, "exitcode: -9", 5), /* ode: */
    NEEDLE_IN(5, "too small", 1), /* oo_s */
    NEEDLE_IN(5, "Killed", 0), /* Kill */
    NEEDLE_IN(5, "no in0_block_w", 5), /* 0_bl */
    NEEDLE_IN(5, "large for kernel", 7), /* or_k */
    NEEDLE_IN(5, "Kill process", 0), /* Kill */
    NEEDLE_IN(5, "of shards", 0), /* of_s */
    NEEDLE_IN(5, "available memory for", 4), /* labl */
    NEEDLE_IN(5, "oom-kill", 4), /* kill */
    NEEDLE_IN(5, "oom_kill event", 4), /* kill */
    NEEDLE_IN(5, "was killed due to the node", 4), /* kill */
    NEEDLE_IN(5, "memory allocating", 6), /* _all */
    NEEDLE_IN(5, "OOM killer", 4), /* kill */
    NEEDLE_IN(5, "oomd killed", 5), /* kill */
    NEEDLE_IN(5, "OOMKilled", 3), /* Kill */
    NEEDLE_IN(5, "SIGKILL", 3), /* KILL */
    NEEDLE_IN(5, "slicing configuration", 2), /* icin */
    NEEDLE_IN(5, "non-zero status", 1), /* on-z */
    NEEDLE_IN(5, "non_zero_indices", 7), /* o_in */
    NEEDLE_IN(6, "annot fit", 3), /* ot_f */
    NEEDLE_IN(6, "Creating", 2), /* eati */
    NEEDLE_IN(6, "fit in L1", 1), /* it_i */
    NEEDLE_IN(6, "seq len", 1), /* eq_l */
    NEEDLE_IN(6, "bad_alloc", 1), /* ad_a */
    NEEDLE_IN(6, "exited with", 4), /* ed_w */
    NEEDLE_IN(6, "TT_FATAL", 3), /* FATA */
    NEEDLE_IN(6, "desired GPU", 5), /* ed_G */
    NEEDLE_IN(6, "cb_size_bytes (", 1), /* b_si */
    NEEDLE_IN(7, "alive", 0), /* aliv */
    NEEDLE_IN(7, "unsafe", 1), /* nsaf */
    NEEDLE_IN(7, "sysmem", 1), /* ysme */
    NEEDLE_IN(7, "zone full", 0), /* zone */
    NEEDLE_IN(7, "DefaultCPU", 6), /* tCPU */
    NEEDLE_IN(7, "ircular", 0), /* ircu */
    NEEDLE_IN(7, "wraparound", 0), /* wrap */
};
/* clang-format on */

enum { SHARED = sizeof shared_needles / sizeof *shared_needles };

const char *const failure_enders[] = {"Out of Memory:",
                                      "Not enough space",
                                      "Statically allocated",
                                      "Creating trace buffers",
                                      "Cannot set to globally",
                                      "backtrace:",
                                      "(assert.hpp",
                                      "TT_FATAL",
                                      "TT_THROW",
                                      "Traceback",
                                      NULL};

/* Phrases are compared without their spaces. */
static unsigned mark_start(uint64_t *set, const char *phrase) {
    char letters[3] = {0};
    for (size_t n = 0; *phrase && n < sizeof letters; phrase++)
        if (*phrase != ' ') letters[n++] = *phrase;
    unsigned key = failure_start_key(letters[0], letters[1], letters[2]);
    set[key / 64] |= 1ull << key % 64;
    return key;
}

static bool holds_needle(const struct failure_index *index, const char *words) {
    return words && find_any(&index->finder, slice_from(words), 0) != SLICE_NONE;
}

/* What logs consist of: coloured lines of the runtime, ops with their types and attributes, modules. */
static const char typical[] =
    "2026-06-11 00:16:40.003 (   0.003s) [        9F3C1740]     client_instance.cc:695      1| ClientInstance::PJRT_Client\n"
    "2026-06-11 00:16:40.006 (   0.006s) [        9F3C1740]      module_builder.cc:1278     1| MLIR Module shlo_frontend:\n"
    "\033[32m            RuntimeTTNN\033[0m | \033[1m\033[38;5;240m   DEBUG\033[0m | Executing operation: %31 = "
    "\"ttnn.reshape\"(%30)"
    " <{shape = [4 : i32, 128 : i32, 16 : i32, 48 : i32]}> : (tensor<512x768xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), "
    "<1x1>, "
    "memref<16x24x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>>) -> tensor<4x128x16x48xf32, "
    "#ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4096 + d1 * 32 + d2, d3), <8x8>, memref<512x2x!ttcore.tile<32x32, bfp_bf8>, "
    "#ttnn.buffer_type<l1>>, <block_sharded>, core_ranges = <[#ttnn.core_range<(0,0), (7,7)>]>>> "
    "loc(\"dot.97_reshape\"(\"dot.97\"))\n"
    "\033[32m                 Always\033[0m | \033[1m\033[38;5;69m    INFO\033[0m | Device memory state before operation "
    "DeallocateOp\n"
    "\033[32m                 Always\033[0m | \033[1m\033[38;5;69m    INFO\033[0m | Device DRAM memory state: "
    "MemoryView{numBanks: 12, "
    "totalBytesPerBank: 1022.169 MB, totalBytesAllocatedPerBank: 3.229 MB, totalBytesFreePerBank: 1018.939 MB, "
    "largestContiguousBytesFreePerBank: 1018.856 MB}\n"
    "\033[0m | Device L1 memory state: \033[0m | Device L1_SMALL memory state: \033[0m | Device TRACE memory state: "
    "Starting execution of program: main\nFinished execution of program: main_const_eval_0 (cache hit) Device memory state "
    "after "
    "submit system_memory width_sharded height_sharded "
    "\"ttnn.deallocate\"(%23) <{force = false}> \"ttcore.load_cached\" callee = @main_const_eval_0, inputs = [%arg0] "
    "\"ttnn.matmul\" transpose_a = false, transpose_b = true \"ttnn.permute\" permutation = array<i64: 0, 2, 1, 3> "
    "\"ttnn.to_layout\" "
    "layout = #ttnn.layout<tile> \"ttnn.to_memory_config\" memory_config = #ttnn.memory_config<<dram>, <interleaved>> "
    "\"ttnn.typecast\" dtype = #ttcore.supportedDataTypes<bf16> \"ttnn.mean\" dim_arg = [2 : i32], keep_dim = true "
    "\"ttnn.softmax\" "
    "dimension = 3 : si32, numericStable = true \"ttnn.get_device\" mesh_shape = #ttnn<mesh_shape 1x1> "
    "\"ttnn.concatenate_heads\" "
    "\"ttnn.slice_static\" begins = [0 : i32], ends = [1 : i32], step = [1 : i32] \"ttnn.conv2d\" batch_size, in_channels, "
    "kernel_size, "
    "stride, padding, dilation, groups \"ttnn.embedding\" \"ttnn.rms_norm\" epsilon = 9.99999974E-6 : f32 "
    "module @SyncTensorsGraph.10 attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic "
    "= "
    "false, mhlo.use_auto_spmd_partitioning = false} {\n  func.func @main(%arg0: tensor<4x128x768xbf16> {ttcore.argument_type "
    "= "
    "#ttcore.argument_type<parameter>, ttir.name = \"l__self___layers_0_attn_q_weight\"} loc(\"p0.1\")) -> "
    "(tensor<4x768xbf16>) {\n"
    "    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0] : (tensor<4x128x768xbf16>) -> tensor<4xbf16> "
    "loc(#loc38)\n"
    "    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1xf32>\n    return %0 : tensor<4xbf16>\n"
    "ReshapeOp SoftmaxOp RMSNormOp LayerNormOp RowMajor MergeHeads view over downsample down_proj gate_proj up_proj "
    "feed_forward "
    "feed_rows attention silu gelu sigmoid maximum minimum logical_not or is not to a version From Response received hifi4 "
    "math_fidelity fp32_dest_acc_en compute_config fuse_relu activation upsample scatter gather reduce_scatter all_gather "
    "collective_permute rotary_embedding scaled_dot_product_attention paged_update_cache sort topk where embedding_bw zeros "
    "arange";

/* How rare a letter is in logs, roughly: its position in a list that begins with the most common ones. */
static unsigned rarity(char c) {
    static const char common[] = " etnoairsldmcu_0123.,x=(){}:<>#%\"4856p79hfbgyvkw";
    const char *at = memchr(common, c, sizeof common - 1);
    return at ? (unsigned)(at - common) : (unsigned)sizeof common;
}

/* The four letters of the words that occur least often in a typical log, the rarest of them, as a needle that continues for
 * a few more letters. */
static bool own_needle(const struct failure_index *index, const char *words, struct needle *out) {
    enum { LETTERS = FIND_ANY_FINGERPRINT, LONGEST = 24 };
    size_t len = words ? strlen(words) : 0, fewest = SIZE_MAX;
    unsigned best = 0;
    for (size_t i = 0; i + LETTERS <= len; i++) {
        unsigned score = 1;
        size_t looks;
        for (size_t k = 0; k < LETTERS; k++) score += rarity(words[i + k]);
        if (fewest == 0 && score <= best) continue;
        struct needle needle = {.text = words + i, .len = (uint8_t)(len - i < LONGEST ? len - i : LONGEST)};
        finder_place(&index->finder, slice_of(typical, sizeof typical - 1), &needle, &looks);
        if (looks > fewest || (looks == fewest && score <= best)) continue;
        fewest = looks;
        best = score;
        *out = needle;
    }
    return best > 0;
}

static unsigned char small(char c) { return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

static bool add_row(struct failure_index *index, const struct failure_form *form) {
    index->refused = form;
    if (index->row_count == FAILURE_ROWS_MAX) return false;
    index->key[index->row_count] = (uint16_t)mark_start(index->begins_row, form->start);
    index->rows[index->row_count++] = form;
    uint16_t *link = &index->first_row[small(form->start[0])];
    while (*link) link = &index->next_row[*link - 1];
    *link = (uint16_t)index->row_count;
    if (!holds_needle(index, form->start) && !holds_needle(index, form->needs)) {
        struct needle *own = &index->needles[index->needle_count];
        if (index->needle_count == FIND_ANY_MAX ||
            !(own_needle(index, form->start, own) || own_needle(index, form->needs, own)))
            return false;
        finder_init(&index->finder, index->needles, ++index->needle_count);
    }
    index->refused = NULL;
    return true;
}

/* ---- text around a needle ---- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

struct then {
    bool anything;
    bool in_word; /* preceded by a letter */
    uint64_t set[2];
};

static void allow(struct then *then, char c) {
    unsigned char letters[] = {small(c), (unsigned char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c)};
    for (size_t i = 0; i < sizeof letters; i++) then->set[letters[i] / 64 & 1] |= 1ull << letters[i] % 64;
}

/* For every place where the words contain the needle. */
static void add_words(struct then *then, const char *words, const struct needle *needle) {
    struct slice rest = slice_from(words ? words : "");
    for (size_t at; (at = slice_find(rest, slice_of(needle->text, needle->len))) != SLICE_NONE;) {
        char before = at ? rest.ptr[at - 1] : rest.ptr > words ? rest.ptr[-1] : ' ';
        then->in_word |= is_letter(before);
        rest = slice_skip(rest, at + needle->len);
        struct slice next = slice_trim(rest);
        if (next.len) allow(then, next.ptr[0]);
        else then->anything = true;
    }
}

/* The bytes that occur in a text, folded to 64 bits: words that lack a byte of the needle need no search. */
static uint64_t bytes_of(struct slice text) {
    uint64_t seen = 0;
    for (size_t i = 0; i < text.len; i++) seen |= 1ull << (unsigned char)text.ptr[i] % 64;
    return seen;
}

static void add_to_all(const struct failure_index *index, struct then *then, const uint64_t *needs, const char *words) {
    uint64_t has = words ? bytes_of(slice_from(words)) : 0;
    for (size_t i = 0; i < index->needle_count; i++)
        if ((needs[i] & ~has) == 0) add_words(&then[i], words, &index->needles[i]);
}

static void find_neighbours(struct failure_index *index) {
    struct then then[FIND_ANY_MAX] = {0};
    uint64_t needs[FIND_ANY_MAX];
    for (size_t i = 0; i < index->needle_count; i++)
        needs[i] = bytes_of(slice_of(index->needles[i].text, index->needles[i].len));
    for (size_t i = 0; i < index->row_count; i++) {
        const struct failure_form *form = index->rows[i];
        add_to_all(index, then, needs, form->start);
        add_to_all(index, then, needs, form->needs);
        for (const struct failure_step *step = form->steps; step && step->kind; step++)
            add_to_all(index, then, needs, step->before);
    }
    for (size_t i = 0; i < index->needle_count; i++) {
        struct needle *needle = &index->needles[i];
        needle->begins_word = !then[i].in_word && is_letter(needle->text[0]);
        if (!then[i].anything) memcpy(needle->then, then[i].set, sizeof then[i].set);
    }
}

bool failure_index_build(struct failure_index *index, const struct failure_form *const *tables) {
    *index = (struct failure_index){.needle_count = SHARED};
    memcpy(index->needles, shared_needles, sizeof shared_needles);
    finder_init(&index->finder, index->needles, index->needle_count);
    for (const char *const *ender = failure_enders; *ender; ender++) {
        mark_start(index->begins_ender, *ender);
        index->first_of_ender[(unsigned char)**ender] = index->first_of_ender[small(**ender)] = true;
    }
    for (; *tables; tables++)
        for (const struct failure_form *form = *tables; form->start; form++)
            if (!add_row(index, form)) return false;
    for (int c = 'A'; c <= 'Z'; c++) index->first_row[c] = index->first_row[small((char)c)];
    find_neighbours(index);
    finder_init(&index->finder, index->needles, index->needle_count);
    return true;
}

static struct failure_index the_index;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool is_built; /* read at every letter that may begin a message */

static void build(void) {
    if (!failure_index_build(&the_index, failure_tables)) {
        fprintf(
            stderr,
            "ttmem: the row of the failure message \"%s\" cannot be looked for: its words need four letters in a row, and a "
            "place among %d needles\n",
            the_index.refused->start, (int)FIND_ANY_MAX);
        abort();
    }
    atomic_store_explicit(&is_built, true, memory_order_release);
}

const struct failure_index *failure_index(void) {
    if (!atomic_load_explicit(&is_built, memory_order_acquire)) pthread_once(&once, build);
    return &the_index;
}

bool failure_begins_wording(struct slice words) {
    words = slice_trim(words);
    for (const struct failure_form *const *table = failure_tables; words.len && *table; table++)
        for (const struct failure_form *form = *table; form->start; form++) {
            struct slice start = slice_from(form->start);
            size_t same = 0;
            while (same < words.len && same < start.len && small(words.ptr[same]) == small(start.ptr[same])) same++;
            if (same == words.len) return true;
        }
    return false;
}
