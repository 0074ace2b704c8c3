/* SPDX-License-Identifier: Apache-2.0 */
/* Several ranks in one log or in several files: what is known of each is what its own log alone tells. */
#include "run_testing.h"

#include <unistd.h>

#include "input/rank_names.h"

#define LAYOUT                                                                                                        \
    "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, " \
    "<interleaved>>"

enum { RANKS = 3, OPS = 40, BASE = 100 };

static void add_pool(struct strbuf *out, const char *name, unsigned allocated) {
    strbuf_addf(out,
                "                 Always |     INFO | Device %s memory state: MemoryView{numBanks: 12, totalBytesPerBank: "
                "1024.000 MB, totalBytesAllocatedPerBank: %u.000 MB, totalBytesFreePerBank: %u.000 MB, "
                "largestContiguousBytesFreePerBank: %u.000 MB}\n",
                name, allocated, 1024 - allocated, 1024 - allocated);
}

static void add_op(struct strbuf *out, const char *op, const char *type, unsigned result, unsigned allocated) {
    strbuf_addf(
        out,
        "            RuntimeTTNN |    DEBUG | Executing operation: %%%u = \"ttnn.%s\"(%%arg0) : (tensor<32x32xbf16, " LAYOUT
        ">) -> tensor<32x32xbf16, " LAYOUT "> loc(\"%s.%u\")\n",
        result, op, op, result);
    strbuf_addf(out, "                 Always |     INFO | Device memory state before operation %s\n", type);
    add_pool(out, "DRAM", allocated);
    add_pool(out, "L1", 1);
    add_pool(out, "L1_SMALL", 0);
    add_pool(out, "TRACE", 0);
}

/* What one rank prints: programs of another length and other amounts for each. */
static void add_program(struct strbuf *out, unsigned rank) {
    strbuf_addz(out, "            RuntimeTTNN |    DEBUG | Starting execution of program: main\n");
    for (unsigned i = 0; i < OPS + rank; i++)
        add_op(out, i % 3 ? "add" : "relu", i % 3 ? "AddOp" : "ReluOp", i, BASE * (rank + 1) + i % 7);
    strbuf_addz(out, "            RuntimeTTNN |    DEBUG | Finished execution of program: main\n");
}

/* All that is known of the steps of a rank. */
static struct strbuf told_of(const struct run *run, uint16_t rank) {
    struct strbuf out = {0};
    for (size_t i = 0; i < run->steps.len; i++) {
        const struct step *step = &run->steps.items[i];
        if (step->rank != rank) continue;
        struct slice name = step_name(run, step);
        strbuf_addf(&out, "%.*s", SLICE_FMT(name));
        for (unsigned k = 0; k < 2; k++) {
            uint32_t number = k ? step->after : step->block;
            if (number == NONE) strbuf_addz(&out, " -");
            else strbuf_addf(&out, " %u", run->blocks.items[number].allocated[POOL_DRAM]);
        }
        strbuf_addc(&out, '\n');
    }
    unsigned executions = 0, tensors = 0;
    for (size_t i = 0; i < run->executions.len; i++) executions += run->executions.items[i].rank == rank;
    for (size_t i = 0; i < run->tensors.len; i++) tensors += run->tensors.items[i].rank == rank;
    strbuf_addf(&out, "%u executions, %u tensors, %llu records, %llu blocks\n", executions, tensors,
                (unsigned long long)run->ranks.items[rank].records, (unsigned long long)run->ranks.items[rank].blocks);
    return out;
}

static struct strbuf truth_of(unsigned number) {
    struct strbuf log = {0};
    struct run run;
    add_program(&log, number);
    read_pieces(&run, strbuf_slice(&log), log.len);
    assert_int_equal(run.ranks.len, 1);
    assert_int_equal(run.records.len, OPS + number);
    struct strbuf told = told_of(&run, 0);
    run_release(&run);
    strbuf_release(&log);
    return told;
}

/* The rank whose amounts are those of `number`, by its first block. */
static uint16_t rank_of(const struct run *run, unsigned number) {
    for (size_t i = 0; i < run->blocks.len; i++) {
        const struct block *block = &run->blocks.items[i];
        if (block->allocated[POOL_DRAM] / 1000 / BASE == number + 1) return run->steps.items[block->step].rank;
    }
    fail();
    return 0;
}

static void assert_truth(const struct run *run) {
    for (unsigned number = 0; number < RANKS; number++) {
        struct strbuf expected = truth_of(number), told = told_of(run, rank_of(run, number));
        assert_string_equal(strbuf_text(&told), strbuf_text(&expected));
        strbuf_release(&expected);
        strbuf_release(&told);
    }
    assert_int_equal(run->warnings[WARN_EMPTY_BLOCK], 0);
    assert_int_equal(run->warnings[WARN_BLOCK_WITHOUT_HEADING], 0);
}

/* Each with the names of its ranks: as launchers print them. */
static const struct {
    const char *tag, *name; /* %u: the rank */
} tags[] = {
    {"[1,%u]<stdout>:", "1,%u"},
    {"[1,%u]<stderr>:", "1,%u"},
    {"[prterun-host-4711@1,%u]<stdout>: ", "1,%u"},
    {"Mon Nov 15 14:00:00 2026[1,%u]<stdout>:", "1,%u"},
    {"Mon Nov 15 14:00:00 2026[prterun-host-4711@1,%u]<stdout>: ", "1,%u"},
    {"%u: ", "%u"},
    {"  %u: ", "%u"}, /* as wide as the largest of a hundred */
    {"0%u: ", "0%u"},
    {"[rank%u]: ", "rank%u"},
    {"[%u] ", "%u"},
    {"[default%u]:", "default%u"},
    {"(EngineCore_DP%u pid=77) ", "EngineCore_DP%u pid=77"},
    {"(Worker_TP%u pid=1234) ", "Worker_TP%u pid=1234"},
    {"(RayWorkerWrapper pid=70%u, ip=10.0.0.1) ", "RayWorkerWrapper pid=70%u, ip=10.0.0.1"},
    {"\x1b[36m(RayWorkerWrapper pid=70%u)\x1b[0m ", "RayWorkerWrapper pid=70%u"},
    {"server-%u  | ", "server-%u"},
    {"[pod/tt-%u/main] ", "tt-%u/main"},
    {"Nov 15 14:00:00 %u: ", "%u"},
    {"2026-06-11T13:22:54.0212345Z [rank%u]: ", "rank%u"},
    {"2026-06-11T13:22:54.0212345Z [1,%u]<stdout>:", "1,%u"},
    {"server-1  | [rank%u]: ", "rank%u"},    /* an outer tag of one value is taken off */
    {"server-%u  | [rank0]: ", "server-%u"}, /* so is an inner one */
    {"server-1  | [1,%u]<stdout>:", "1,%u"},
    {"[pod/tt-%u/main] [1,0]<stdout>:", "tt-%u/main"},
    {"[prterun-host-%u@1,0]<stdout>: ", "prterun-host-%u"}, /* jobs that differ in their namespace alone */
};

/* Lines of all ranks, one to three at a time, under their tags; lines of nobody between them. */
static struct strbuf interleaved(const char *tag, unsigned seed) {
    struct strbuf logs[RANKS] = {0}, out = {0};
    struct slice rest[RANKS];
    for (unsigned i = 0; i < RANKS; i++) {
        add_program(&logs[i], i);
        rest[i] = strbuf_slice(&logs[i]);
    }
    for (unsigned left = RANKS; left;) {
        seed = seed * 1103515245 + 12345;
        unsigned rank = seed >> 16 & 3, lines = 1 + (seed >> 20 & 1);
        if (rank >= RANKS) strbuf_addz(&out, "loading checkpoint shards\n");
        for (; rank < RANKS && rest[rank].len && lines; lines--) {
            size_t end = slice_find_byte(rest[rank], '\n') + 1;
            char front[100];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(front, sizeof front, tag, rank);
#pragma GCC diagnostic pop
            strbuf_addz(&out, front);
            strbuf_add(&out, slice_take(rest[rank], end));
            rest[rank] = slice_skip(rest[rank], end);
            left -= !rest[rank].len;
        }
    }
    for (unsigned i = 0; i < RANKS; i++) strbuf_release(&logs[i]);
    return out;
}

static void assert_names(const struct run *run, const char *form) {
    for (unsigned number = 0; number < RANKS; number++) {
        char name[100];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(name, sizeof name, form, number);
#pragma GCC diagnostic pop
        assert_slice(run_string(run, run->ranks.items[rank_of(run, number)].name), name);
    }
}

static void every_tag_separates_ranks_in_pieces_of_any_size(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 97, 5000, SIZE_MAX};
    for (size_t i = 0; i < COUNT_OF(tags); i++) {
        struct strbuf log = interleaved(tags[i].tag, (unsigned)i + 1);
        for (size_t k = 0; k < COUNT_OF(sizes); k++) {
            struct run run;
            read_pieces(&run, strbuf_slice(&log), sizes[k] < log.len ? sizes[k] : log.len);
            assert_truth(&run);
            assert_names(&run, tags[i].name);
            run_release(&run);
        }
        strbuf_release(&log);
    }
}

/* Containers or jobs around ranks: both tags are needed. */
static void two_tags_make_one_rank_each(void **state) {
    (void)state;
    static const struct {
        const char *tags, *name; /* %u: the server, then the rank */
    } cases[] = {
        {"server-%u  | [rank%u]: ", "server-1 rank0"},
        {"server-%u  | [1,%u]<stdout>:", "server-1 1,0"},
        {"[pod/tt-%u/main] [1,%u]<stdout>:", "tt-1/main 1,0"},
        {"[prterun-host-%u@1,%u]<stdout>: ", "prterun-host-1 1,0"},
    };
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        struct strbuf log = {0};
        for (unsigned i = 0; i < OPS; i++)
            for (unsigned server = 0; server < 2; server++)
                for (unsigned rank = 0; rank < 2; rank++) {
                    char front[100];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
                    snprintf(front, sizeof front, cases[c].tags, server, rank);
#pragma GCC diagnostic pop
                    strbuf_addz(&log, front);
                    strbuf_addf(&log,
                                "            RuntimeTTNN |    DEBUG | Executing operation: %%%u = "
                                "\"ttnn.add\"(%%arg0) : (tensor<32x32xbf16>) -> tensor<32x32xbf16>\n",
                                i);
                    strbuf_addz(&log, front);
                    strbuf_addz(&log, "a line of text\n");
                }
        struct run run;
        read_pieces(&run, strbuf_slice(&log), log.len);
        unsigned found = 0, running = 0;
        for (size_t i = 0; i < run.ranks.len; i++) {
            if (!run.ranks.items[i].records) continue; /* nobody's, where MPI's tags name the others */
            running++;
            assert_int_equal(run.ranks.items[i].records, OPS);
            found += slice_equal(run_string(&run, run.ranks.items[i].name), slice_from(cases[c].name));
        }
        assert_int_equal(running, 4);
        assert_int_equal(found, 1);
        run_release(&run);
        strbuf_release(&log);
    }
}

/* Adds the lines of a log, each with the text before it; of those from `rest` on up to `lines` many. */
static void add_lines(struct strbuf *out, struct slice *rest, const char *front, unsigned lines) {
    for (; rest->len && lines; lines--) {
        size_t end = slice_find_byte(*rest, '\n') + 1;
        strbuf_addz(out, front);
        strbuf_add(out, slice_take(*rest, end));
        *rest = slice_skip(*rest, end);
    }
}

/* The one of three whose lines have no tag is a rank as the others are, wherever its lines stand. */
static void lines_without_a_tag_are_a_rank_beside_tagged_ones(void **state) {
    (void)state;
    static const char *const fronts[][RANKS] = {
        {"0: ", "1: ", ""}, {"", "[rank1]: ", "[rank2]: "}, {"server-1  | ", "", "server-2  | "}};
    static const unsigned blocks[] = {1, 3, 50, 100000};
    for (size_t c = 0; c < COUNT_OF(fronts); c++)
        for (size_t b = 0; b < COUNT_OF(blocks); b++) {
            struct strbuf logs[RANKS] = {0}, log = {0};
            struct slice rest[RANKS];
            for (unsigned i = 0; i < RANKS; i++) {
                add_program(&logs[i], i);
                rest[i] = strbuf_slice(&logs[i]);
            }
            while (rest[0].len || rest[1].len || rest[2].len)
                for (unsigned i = 0; i < RANKS; i++) add_lines(&log, &rest[i], fronts[c][i], blocks[b]);
            struct run run;
            read_pieces(&run, strbuf_slice(&log), 5000);
            assert_truth(&run);
            for (unsigned i = 0; i < RANKS; i++)
                assert_int_equal(run.ranks.items[rank_of(&run, i)].name == 0, fronts[c][i][0] == '\0');
            run_release(&run);
            for (unsigned i = 0; i < RANKS; i++) strbuf_release(&logs[i]);
            strbuf_release(&log);
        }
}

#define OUT_OF_MEMORY                                                                                                      \
    "Out of Memory: Not enough space to allocate 134217728 B DRAM buffer across 12 banks, where each bank needs to store " \
    "11184810 B, but bank size is only 1071821792 B\n"

/* Ranks 0 and 2 run; 1 fails, before or after them, and did nothing else. */
static void a_failure_is_of_its_own_rank_though_that_ran_nothing(void **state) {
    (void)state;
    static const struct {
        const char *tags[3], *name;
    } cases[] = {
        {{"0: ", "1: ", "2: "}, "1"},
        {{"[rank0]: ", "[rank1]: ", "[rank2]: "}, "rank1"},
        {{"[pod/t-0/main] ", "[pod/t-1/main] ", "[pod/t-2/main] "}, "t-1/main"},
        {{"server-0  | ", "server-1  | ", "server-2  | "}, "server-1"},
        {{"[1,0]<stdout>:", "[1,1]<stderr>:", "[1,2]<stdout>:"}, "1,1"},
    };
    for (size_t c = 0; c < COUNT_OF(cases); c++)
        for (unsigned late = 0; late < 3; late++) {
            struct strbuf own = {0}, log = {0};
            add_program(&own, 0);
            struct slice first = strbuf_slice(&own), last = first, failure = SLICE(OUT_OF_MEMORY);
            if (late == 0) add_lines(&log, &failure, cases[c].tags[1], 1);
            add_lines(&log, &first, cases[c].tags[0], 50);
            if (late == 1) add_lines(&log, &failure, cases[c].tags[1], 1);
            add_lines(&log, &last, cases[c].tags[2], 100000);
            add_lines(&log, &first, cases[c].tags[0], 100000);
            if (late == 2) add_lines(&log, &failure, cases[c].tags[1], 1);
            struct run run;
            read_pieces(&run, strbuf_slice(&log), log.len);
            unsigned failed = 0;
            for (size_t i = 0; i < run.ranks.len; i++) {
                const struct rank *rank = &run.ranks.items[i];
                bool is_failed = slice_equal(run_string(&run, rank->name), slice_from(cases[c].name));
                assert_int_equal(rank->failures, is_failed);
                failed += is_failed;
                if (!is_failed && rank->name) assert_int_equal(rank->records, OPS);
            }
            assert_int_equal(failed, 1);
            assert_int_equal(run.failure_sites.len, 1);
            assert_int_equal(run.failure_places.len, 1);
            assert_slice(run_string(&run, run.ranks.items[run.failure_sites.items[0].rank].name), cases[c].name);
            assert_slice(run_string(&run, run.ranks.items[run.failure_places.items[0].rank].name), cases[c].name);
            for (size_t i = 0; i < run.executions.len; i++) assert_true(run.executions.items[i].finished);
            run_release(&run);
            strbuf_release(&own);
            strbuf_release(&log);
        }
}

static struct strbuf tagged(const char *tag, unsigned rank, const char *line) {
    struct strbuf out = {0};
    char front[100];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(front, sizeof front, tag, rank);
#pragma GCC diagnostic pop
    strbuf_addf(&out, "%s%s\n", front, line);
    return out;
}

/* Ranks that fail in turns, with equal words: each failure is of the rank that its line names. */
static void failures_in_turns_are_of_their_ranks(void **state) {
    (void)state;
    static const char *const loose[] = {"node%u: ", "tt-%u main ", "Nov 15 14:00:00 node%u: "};
    for (size_t t = 0; t < COUNT_OF(tags) + COUNT_OF(loose); t++) {
        const char *tag = t < COUNT_OF(tags) ? tags[t].tag : loose[t - COUNT_OF(tags)];
        struct strbuf log = {0};
        for (unsigned i = 0; i < 30 + 12; i++) {
            static const char *const errors[] = {
                "TT_THROW: Statically allocated circular buffers on core range [(x=0,y=0) - (x=7,y=0)] grow to %u B which is "
                "beyond max L1 size of 1499136 B",
                "TT_FATAL: Program size (%u) too large for kernel config buffer (70656) on TENSIX"};
            struct strbuf line = {0}, op = {0};
            unsigned rank = i < 30 ? i % RANKS : i * 5 / 4 % RANKS;
            if (i < 30) {
                add_op(&op, "add", "AddOp", i, BASE);
                strbuf_add(&line, slice_take(strbuf_slice(&op), slice_find_byte(strbuf_slice(&op), '\n')));
            } else {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
                strbuf_addf(&line, errors[i / 2 % 2], 1600000 + rank);
#pragma GCC diagnostic pop
            }
            struct strbuf whole = tagged(tag, rank, strbuf_text(&line));
            strbuf_add(&log, strbuf_slice(&whole));
            strbuf_release(&whole);
            strbuf_release(&line);
            strbuf_release(&op);
        }
        struct run run;
        read_pieces(&run, strbuf_slice(&log), log.len);
        assert_int_equal(run.failure_places.len, 12);
        for (size_t i = 0; i < run.failure_places.len; i++) {
            const struct failure_place *place = &run.failure_places.items[i];
            unsigned rank = (unsigned)(place->line - 1) * 5 / 4 % RANKS;
            uint16_t its = run.steps.items[rank].rank; /* the first ops are of the ranks in turn */
            if (place->rank != its) fail_msg("%s: line %u is of rank %u", tag, (unsigned)place->line, place->rank);
        }
        run_release(&run);
        strbuf_release(&log);
    }
}

/* Ranks that fail alike print equal messages, here without the logger's words, each of them twice. */
static void equal_failures_count_on_each_rank(void **state) {
    (void)state;
    for (size_t t = 0; t < COUNT_OF(tags); t++)
        for (unsigned early = 0; early < 2; early++) {
            if (early && strstr(tags[t].tag, "| [")) continue; /* which of two tags is the rank shows too late */
            struct strbuf log = {0};
            for (unsigned part = 0; part < 3; part++)
                for (unsigned i = 0; i < RANKS; i++) {
                    struct strbuf lines = {0};
                    unsigned rank = part ? RANKS - 1 - i : i;
                    bool fails = early ? part < 2 : part > 0;
                    if (!fails) add_op(&lines, "add", "AddOp", part, BASE);
                    const char *line = fails ? OUT_OF_MEMORY : strbuf_text(&lines);
                    struct slice text = slice_take(slice_from(line), slice_find_byte(slice_from(line), '\n'));
                    struct strbuf own = {0};
                    strbuf_add(&own, text);
                    struct strbuf whole = tagged(tags[t].tag, rank, strbuf_text(&own));
                    strbuf_add(&log, strbuf_slice(&whole));
                    strbuf_release(&whole);
                    strbuf_release(&own);
                    strbuf_release(&lines);
                }
            struct run run;
            read_pieces(&run, strbuf_slice(&log), log.len);
            for (size_t i = 0; i < run.ranks.len; i++)
                if (run.ranks.items[i].failures != (run.ranks.items[i].records != 0))
                    fail_msg("%s: rank %zu has %u failures, early %u", tags[t].tag, i, (unsigned)run.ranks.items[i].failures,
                             early);
            run_release(&run);
            strbuf_release(&log);
        }
}

static void a_tag_of_one_value_is_taken_off(void **state) {
    (void)state;
    struct strbuf log = {0}, own = {0};
    add_program(&own, 0);
    for (struct slice rest = strbuf_slice(&own); rest.len;) {
        size_t end = slice_find_byte(rest, '\n') + 1;
        strbuf_addz(&log, "0: ");
        strbuf_add(&log, slice_take(rest, end));
        strbuf_addz(&log, "1: downloading\n"); /* a value without lines of the runtime is noise */
        rest = slice_skip(rest, end);
    }
    struct run run;
    read_pieces(&run, strbuf_slice(&log), log.len);
    struct strbuf told = told_of(&run, 0), expected = truth_of(0);
    assert_int_equal(run.ranks.len, 1);
    assert_slice(run_string(&run, run.ranks.items[0].name), "");
    assert_string_equal(strbuf_text(&told), strbuf_text(&expected));
    strbuf_release(&told);
    strbuf_release(&expected);
    run_release(&run);
    strbuf_release(&log);
    strbuf_release(&own);
}

/* Files of several chunks' worth by any number of threads: many programs of each rank. */
static void files_are_ranks_by_any_number_of_threads(void **state) {
    (void)state;
    static const char *const threads[] = {"1", "2", "7"};
    struct strbuf logs[RANKS] = {0}, first = {0};
    struct source sources[RANKS], all;
    uint64_t offsets[RANKS];
    static const char *const names[RANKS] = {"0", "1", "2"};
    struct slice told_names[RANKS];
    struct err err = {0};
    for (unsigned i = 0; i < RANKS; i++) {
        while (logs[i].len < (size_t)(i + 1) * (2 << 20) - (2 << 20) + 1000) add_program(&logs[i], i);
        char path[] = "/tmp/ttmem-ranks-XXXXXX";
        int fd = mkstemp(path);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, logs[i].data, logs[i].len), logs[i].len);
        close(fd);
        assert_int_equal(source_open(&sources[i], path, &err), 0);
        remove(path);
        told_names[i] = slice_from(names[i]);
    }
    assert_int_equal(source_join(&all, sources, RANKS, offsets, &err), 0);
    for (unsigned i = 0; i < RANKS; i++) assert_memory_equal(all.bytes.ptr + offsets[i], logs[i].data, logs[i].len);
    for (size_t t = 0; t < COUNT_OF(threads); t++) {
        setenv("TTMEM_THREADS", threads[t], 1);
        struct run run = {0};
        struct strbuf told_all = {0};
        assert_int_equal(run_read_files(&run, sources, offsets, told_names, RANKS, all.bytes, NULL, &err), 0);
        assert_int_equal(run.ranks.len, RANKS);
        for (uint16_t i = 0; i < RANKS; i++) {
            struct run alone;
            read_pieces(&alone, strbuf_slice(&logs[i]), logs[i].len);
            struct strbuf told = told_of(&run, i), expected = told_of(&alone, 0);
            assert_slice(run_string(&run, run.ranks.items[i].name), names[i]);
            assert_string_equal(strbuf_text(&told), strbuf_text(&expected));
            strbuf_add(&told_all, strbuf_slice(&told));
            strbuf_release(&told);
            strbuf_release(&expected);
            run_release(&alone);
        }
        if (!first.len) strbuf_add(&first, strbuf_slice(&told_all));
        assert_string_equal(strbuf_text(&told_all), strbuf_text(&first));
        strbuf_release(&told_all);
        run_release(&run);
    }
    unsetenv("TTMEM_THREADS");
    for (unsigned i = 0; i < RANKS; i++) {
        strbuf_release(&logs[i]);
        source_release(&sources[i]);
    }
    source_release(&all);
    strbuf_release(&first);
}

static void ranks_are_named_by_what_differs(void **state) {
    (void)state;
    static const struct {
        const char *paths[4], *names[4];
    } cases[] = {
        {{"out/1/rank.0/stdout", "out/1/rank.1/stdout", "out/1/rank.10/stdout"}, {"0", "1", "10"}},
        {{"slurm-71_0.out", "slurm-71_1.out"}, {"0", "1"}},
        {{"host1/log_rank0.txt", "host2/log_rank0.txt"}, {"host1", "host2"}},
        {{"host1/rank.0.log", "host1/rank.1.log", "host2/rank.0.log"}, {"host1,0", "host1,1", "host2,0"}},
        {{"host1/rank.0.log", "host1/rank.1.log", "host2/rank.2.log"}, {"0", "1", "2"}},
        {{"out/rank.0/stdout", "out/rank.1/run.log"}, {"0", "1"}},
        {{"log_0_4711", "log_1_4712"}, {"0", "1"}}, /* not the processes */
        {{"job-71-alpha-0", "job-71-beta-1"}, {"0", "1"}},
        {{"logs/alpha.log", "logs/beta.log"}, {"alpha", "beta"}},
        {{"logs/a.log", "logs/b/c.log"}, {"a.log", "b/c.log"}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        size_t count = 0;
        while (count < 4 && cases[i].paths[count]) count++;
        struct strbuf names[4] = {0};
        rank_names(cases[i].paths, count, names);
        for (size_t k = 0; k < count; k++) {
            assert_string_equal(strbuf_text(&names[k]), cases[i].names[k]);
            strbuf_release(&names[k]);
        }
    }
    static const char *const ranks[] = {"h/hostA/rank.0.log", "h/hostB/rank.1.log"};
    assert_true(rank_path_is_like("h/hostC/rank.12.log", ranks, 2));
    assert_true(rank_path_is_like("h/other/rank.2.log", ranks, 2));
    assert_false(rank_path_is_like("h/hostA/ttxla.0.log", ranks, 2));
    assert_false(rank_path_is_like("h/hostC/rank.2.log", ranks, 1)); /* one alone does not tell that folders differ */
    assert_true(rank_path_order("rank.2/stdout", "rank.10/stdout") < 0);
    assert_true(rank_path_order("rank.10/stdout", "rank.2/stdout") > 0);
    assert_int_equal(rank_path_order("rank.2", "rank.2"), 0);
}

static void hosts_are_those_that_paths_name(void **state) {
    (void)state;
    static const struct {
        const char *paths[2], *hosts[2];
    } cases[] = {
        {{"out/host0/rank.0.log", "out/host1/rank.1.log"}, {"host0", "host1"}},
        {{"train-71-node01-0.log", "train-71-node-b-1.log"}, {"node01", "node-b"}},
        {{"my-job-71-gxy3-0.out", "my-job-71-gxy4-1.out"}, {"gxy3", "gxy4"}},
        {{"prefill/0.log", "decode/1.log"}, {"", ""}},
        {{"slurm-71_0.out", "slurm-71_1.out"}, {"", ""}},
        {{"a-71-x-0.log", "a-72-y-0.log"}, {"", ""}}, /* two jobs */
        {{"host0/rank.0.log", "rank.1.log"}, {"", ""}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct strbuf hosts[2] = {0};
        rank_hosts(cases[i].paths, 2, hosts);
        for (size_t k = 0; k < 2; k++) {
            assert_string_equal(strbuf_text(&hosts[k]), cases[i].hosts[k]);
            strbuf_release(&hosts[k]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tag_separates_ranks_in_pieces_of_any_size),
        cmocka_unit_test(two_tags_make_one_rank_each),
        cmocka_unit_test(lines_without_a_tag_are_a_rank_beside_tagged_ones),
        cmocka_unit_test(a_failure_is_of_its_own_rank_though_that_ran_nothing),
        cmocka_unit_test(failures_in_turns_are_of_their_ranks),
        cmocka_unit_test(equal_failures_count_on_each_rank),
        cmocka_unit_test(a_tag_of_one_value_is_taken_off),
        cmocka_unit_test(files_are_ranks_by_any_number_of_threads),
        cmocka_unit_test(ranks_are_named_by_what_differs),
        cmocka_unit_test(hosts_are_those_that_paths_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
