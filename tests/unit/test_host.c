/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory: the recording and what is read from it, against amounts that are known because the test allocates them. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analysis/run/host.h"
#include "capture/host_sampler.h"
#include "capture/host_tree.h"
#include "base/outfile.h"
#include "source/cgroup.h"
#include "testing.h"

#define MIB ((size_t)1 << 20)

static _Atomic uint64_t log_bytes;

static void nap(int ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static char *touch(size_t bytes) {
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(at != MAP_FAILED);
    madvise(at, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < bytes; i += 4096) at[i] = 1;
    return at;
}

/* A child works in stages: each begins when the test writes a byte, so that none ends before the sampler saw it. */
static void wait_for_go(int go) {
    char byte;
    if (read(go, &byte, 1) != 1) _exit(9);
}

/* 64 MiB, then a process of its own with 96 MiB more, then everything is freed. */
static void allocate(int go) {
    wait_for_go(go);
    char *mine = touch(64 * MIB);
    wait_for_go(go);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_NAME, "second", 0, 0, 0);
        touch(96 * MIB);
        wait_for_go(go);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    munmap(mine, 64 * MIB);
    wait_for_go(go);
    _exit(0);
}

/* What the recording must show of a process before the next stage begins. */
struct stage {
    const char *name;
    uint64_t least, most; /* bytes above what the child began with */
};

/* What the child has before it allocates anything. */
static uint64_t base;

static void read_back(int fd, struct strbuf *text) {
    off_t size = lseek(fd, 0, SEEK_END);
    strbuf_clear(text);
    assert_int_equal(pread(fd, strbuf_room(text, (size_t)size), (size_t)size, 0), size);
    strbuf_took(text, (size_t)size);
}

static bool shows(const struct host_record *record, const struct stage *stage) {
    for (size_t i = record->samples.len; i-- > 0;) {
        const struct host_record_sample *sample = &record->samples.items[i];
        if (slice_equal(record->processes.items[sample->process].name, slice_from(stage->name)))
            return sample->rss_bytes >= base + stage->least && sample->rss_bytes <= base + stage->most;
    }
    return false;
}

static void wait_until_shown(int fd, struct strbuf *text, const struct stage *stage) {
    for (int tries = 0; tries < 6000; tries++) {
        struct host_record record;
        struct err err;
        read_back(fd, text);
        if (host_record_read(&record, strbuf_slice(text), "recording", &err) == 0) {
            bool shown = shows(&record, stage);
            host_record_release(&record);
            if (shown) return;
        }
        nap(10);
    }
    fail_msg("the recording never shows %s", stage->name);
}

static void record_of(struct strbuf *text, void (*body)(int), const struct stage *stages, size_t n, int *status,
                      uint64_t *cpu_ppm) {
    char path[] = "/tmp/ttmem_host_XXXXXX";
    int fd = mkstemp(path), go[2];
    unlink(path);
    assert_int_equal(pipe(go), 0);
    prctl(PR_SET_NAME, "first", 0, 0, 0); /* inherited: the child never has another name */
    pid_t child = fork();
    if (child == 0) body(go[0]);
    prctl(PR_SET_NAME, "test_host", 0, 0, 0);
    struct host_sampler_wish wish = {.fd = fd, .root = child, .log_bytes = &log_bytes};
    struct host_sampler *sampler = host_sampler_start(&wish);
    assert_non_null(sampler);
    base = 0;
    wait_until_shown(fd, text, &(struct stage){"first", 1, UINT64_MAX});
    char place[64];
    unsigned long pages, resident;
    snprintf(place, sizeof place, "/proc/%d/statm", (int)child);
    FILE *statm = fopen(place, "r");
    assert_int_equal(fscanf(statm, "%lu %lu", &pages, &resident), 2);
    fclose(statm);
    base = resident * (uint64_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(write(go[1], "x", 1), 1);
        wait_until_shown(fd, text, &stages[i]);
    }
    nap(3000); /* the share of a core is one of a run, not of its first moments */
    assert_int_equal(write(go[1], "x", 1), 1);
    waitpid(child, status, 0);
    struct host_sampler_end end;
    host_sampler_stop(sampler, WIFSIGNALED(*status) ? 128 + WTERMSIG(*status) : WEXITSTATUS(*status),
                      WIFSIGNALED(*status) ? WTERMSIG(*status) : 0, 0, &end);
    assert_int_equal(end.write_errno, 0);
    *cpu_ppm = end.cpu_ns * 1000000 / end.ns;
    read_back(fd, text);
    close(fd);
    close(go[0]);
    close(go[1]);
}

static void within_2_percent(uint64_t value, uint64_t expected, uint64_t slack) {
    if (value + slack + expected / 50 < expected || value > expected + expected / 50 + slack)
        fail_msg("%llu is not %llu within 2 %%", (unsigned long long)value, (unsigned long long)expected);
}

static const struct host_process_use *use_named(const struct host_use *use, const struct host_record *record,
                                                const char *name) {
    for (size_t i = 0; i < use->processes.len; i++)
        if (slice_equal(record->processes.items[use->processes.items[i].process].name, slice_from(name)))
            return &use->processes.items[i];
    fail_msg("no process %s", name);
    return NULL;
}

/* A child recorded while it does its work, and what was read back. */
struct recorded {
    struct strbuf text;
    struct host_record record;
    struct host_use use;
    uint64_t cpu_ppm;
};

static void record_child(struct recorded *r, void (*work)(int go), const struct stage *stages, size_t n) {
    struct run run = {0};
    struct err err;
    int status;
    *r = (struct recorded){0};
    record_of(&r->text, work, stages, n, &status, &r->cpu_ppm);
    assert_int_equal(host_record_read(&r->record, strbuf_slice(&r->text), "recording", &err), 0);
    host_use_make(&r->record, &run, &r->use);
}

static void recorded_release(struct recorded *r) {
    host_use_release(&r->use);
    host_record_release(&r->record);
    strbuf_release(&r->text);
}

static void test_child_that_allocates(void **state) {
    (void)state;
    static const struct stage stages[] = {
        {"first", 62 * MIB, 70 * MIB}, {"second", 155 * MIB, 170 * MIB}, {"first", 0, 2 * MIB}};
    struct recorded r;
    record_child(&r, allocate, stages, sizeof stages / sizeof *stages);
    assert_true(r.use.known);
    assert_int_equal(r.record.wrong_lines, 0);
    assert_true(r.record.ended);
    assert_int_equal(r.use.processes.len, 2);
    const struct host_process_use *first = use_named(&r.use, &r.record, "first"),
                                  *second = use_named(&r.use, &r.record, "second");
    /* what a process of this test has before it allocates is in both */
    within_2_percent(first->peak_bytes - base, 64 * MIB, MIB);
    within_2_percent(second->peak_bytes - base, (64 + 96) * MIB, 2 * MIB);
    within_2_percent(first->last_bytes, base, 2 * MIB);
    within_2_percent(r.use.together_bytes, 2 * base + (64 + 64 + 96) * MIB, 3 * MIB);
    assert_false(r.use.killed);
    /* half a percent of a core is 5000; the first second has more samples than any later one */
    assert_true(r.cpu_ppm < 5000);
    recorded_release(&r);
}

static void allocate_and_die(int go) {
    wait_for_go(go);
    touch(64 * MIB);
    wait_for_go(go);
    kill(getpid(), SIGKILL);
}

static void test_killed(void **state) {
    (void)state;
    struct recorded r;
    struct err err;
    record_child(&r, allocate_and_die, &(struct stage){"first", 62 * MIB, 70 * MIB}, 1);
    assert_true(r.use.killed);
    assert_false(r.use.killed_by_kernel);
    assert_int_equal(r.record.signal, SIGKILL);
    /* cut anywhere, it is read as far as it goes */
    for (size_t i = 0; i <= r.text.len; i++) {
        struct host_record cut;
        int rc = host_record_read(&cut, slice_take(strbuf_slice(&r.text), i), "recording", &err);
        assert_int_equal(rc, i < strlen("{\"ttmem_host\":") ? -1 : 0);
        assert_true(cut.samples.len <= r.record.samples.len);
        assert_int_equal(cut.wrong_lines, 0);
        assert_true(i + 2 > r.text.len || !cut.ended);
        if (rc == 0) host_record_release(&cut);
    }
    recorded_release(&r);
}

static void test_full_disk(void **state) {
    (void)state;
    int fd = open("/dev/full", O_WRONLY);
    if (fd < 0) skip();
    struct host_sampler_wish wish = {.fd = fd, .root = getpid(), .log_bytes = &log_bytes};
    struct host_sampler *sampler = host_sampler_start(&wish);
    struct host_sampler_end end;
    nap(50);
    host_sampler_stop(sampler, 0, 0, 0, &end);
    assert_int_equal(end.write_errno, ENOSPC);
    close(fd);
}

/* A made-up /proc. */
static char proc[] = "/tmp/ttmem_proc_XXXXXX";

static void put(int pid, const char *file, const char *text) {
    char path[256];
    struct err err;
    snprintf(path, sizeof path, "%s/%d", proc, pid);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%d/%s", proc, pid, file);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(fd >= 0);
    assert_int_equal(write_all(fd, slice_from(text), &err), 0);
    close(fd);
}

static void put_process(int pid, int parent, unsigned long start, const char *name, unsigned pages) {
    char text[256];
    snprintf(text, sizeof text, "%d (%s) S %d 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %lu 0 0\n", pid, name, parent, start);
    put(pid, "stat", text);
    snprintf(text, sizeof text, "%u %u 10 5 0 123 0\n", pages * 2, pages);
    put(pid, "statm", text);
    snprintf(text, sizeof text, "%s\n", name);
    put(pid, "comm", text);
    put(pid, "environ", "");
}

/* At once, so that nobody reads an empty file. */
static void overwrite(int pid, const char *file, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%d/%s", proc, pid, file);
    int fd = open(path, O_WRONLY);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void remove_process(int pid) {
    static const char *const files[] = {"stat", "statm", "comm", "environ", "status", "smaps_rollup"};
    char path[256];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%d/%s", proc, pid, files[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/%d", proc, pid);
    rmdir(path);
}

static const struct host_process *found(const struct host_tree *tree, int pid) {
    for (size_t i = 0; i < tree->processes.len; i++)
        if (tree->processes.items[i].pid == pid && !tree->processes.items[i].gone) return &tree->processes.items[i];
    return NULL;
}

static void test_tree(void **state) {
    (void)state;
    assert_non_null(mkdtemp(proc));
    put_process(100, 1, 500, "before", 7);
    put_process(200, 1, 1000, "root) (odd", 100);
    put_process(210, 200, 1001, "child", 50);
    put_process(211, 210, 1002, "grandchild", 25);
    put_process(220, 100, 1003, "stranger", 9);
    struct host_tree tree;
    host_tree_init(&tree, proc, 200, "TTMEM_RUN=1.2");
    host_tree_scan(&tree);
    host_tree_sizes(&tree);
    assert_int_equal(tree.processes.len, 3);
    assert_string_equal(found(&tree, 200)->name, "root) (odd");
    assert_int_equal(found(&tree, 211)->rss_bytes, 25 * tree.page_bytes);
    /* a daemon has another parent: it is known already, or carries the mark */
    put_process(210, 1, 1001, "child", 60);
    put_process(230, 1, 1010, "daemon", 30);
    char path[256];
    snprintf(path, sizeof path, "%s/230/environ", proc);
    int fd = open(path, O_WRONLY | O_TRUNC);
    assert_int_equal(write(fd, "PATH=/bin\0TTMEM_RUN=1.2\0X=1", 27), 27);
    close(fd);
    host_tree_scan(&tree);
    host_tree_sizes(&tree);
    assert_int_equal(found(&tree, 210)->rss_bytes, 60 * tree.page_bytes);
    assert_non_null(found(&tree, 230));
    assert_null(found(&tree, 220));
    /* a number that belongs to another process now is not the same process */
    remove_process(211);
    host_tree_scan(&tree);
    put(210, "statm", "0 0 0 0 0 0 0\n");
    host_tree_sizes(&tree);
    assert_null(found(&tree, 210));
    host_tree_scan(&tree);
    put_process(211, 100, 2000, "another", 11);
    host_tree_scan(&tree);
    host_tree_sizes(&tree);
    const struct host_process *old = found(&tree, 211);
    assert_true(!old || old->rss_bytes == 25 * tree.page_bytes); /* the file that stayed open */
    /* what cannot be read is counted and does not stop anything */
    put_process(240, 200, 2001, "closed", 1);
    put(240, "statm", "");
    host_tree_scan(&tree);
    host_tree_sizes(&tree);
    assert_int_equal(tree.unreadable, 1);
    put(200, "status", "Name:\troot\nVmHWM:\t    1624 KB\nVmRSS:\t 4 KB\n");
    put(200, "smaps_rollup", "0-1 ---p 0 00:00 0 [rollup]\nRss:  9 kB\nPss:  306 kB\nSwap:  8 kB\nPrivate_Hugetlb:  2048 kB\n");
    host_tree_names(&tree);
    assert_true(host_tree_shares(&tree, 0));
    assert_int_equal(found(&tree, 200)->peak_bytes, 1624 * 1024);
    assert_int_equal(found(&tree, 200)->pss_bytes, 306 * 1024);
    assert_int_equal(found(&tree, 200)->swap_bytes, 8 * 1024);
    assert_int_equal(found(&tree, 200)->hugetlb_bytes, 2048 * 1024);
    /* while the size stays they are read every fourth time, and at once when it changes */
    for (int i = 0; i < 3; i++) assert_false(host_tree_shares(&tree, 0));
    assert_true(host_tree_shares(&tree, 0));
    assert_false(host_tree_shares(&tree, 0));
    put(200, "statm", "202 101 10 5 0 123 0\n");
    host_tree_sizes(&tree);
    assert_true(host_tree_shares(&tree, 0));
    /* the file of status stays open from the first look on: it tells the new name, spelled as C does */
    put_process(250, 200, 2002, "before", 1);
    put(250, "status", "Name:\tbefore\nVmHWM:\t 8 kB\n");
    host_tree_scan(&tree);
    assert_true(found(&tree, 250)->status_fd >= 0);
    assert_string_equal(found(&tree, 250)->name, "before");
    put(250, "status", "Name:\ta\\nb\\\\c\nVmHWM:\t 16 kB\n");
    host_tree_names(&tree);
    assert_string_equal(found(&tree, 250)->name, "a\nb\\c");
    assert_true(found(&tree, 250)->fresh);
    assert_int_equal(found(&tree, 250)->peak_bytes, 16 * 1024);
    unsigned open_files = tree.open_files;
    host_tree_release(&tree);
    assert_true(open_files >= 2);
    assert_int_equal(tree.open_files, 0);
    remove_process(250);
    static const int pids[] = {100, 200, 210, 211, 220, 230, 240};
    for (size_t i = 0; i < sizeof pids / sizeof *pids; i++) remove_process(pids[i]);
    rmdir(proc);
}

/* A shell that becomes another program: what that one takes is not written under the name of the shell. */
static void test_name_of_a_size(void **state) {
    (void)state;
    static char own[] = "/tmp/ttmem_proc_XXXXXX";
    char path[] = "/tmp/ttmem_host_XXXXXX", before[sizeof proc];
    memcpy(before, proc, sizeof proc);
    assert_non_null(mkdtemp(own));
    memcpy(proc, own, sizeof own);
    int fd = mkstemp(path);
    unlink(path);
    put_process(200, 1, 1000, "bash", 100);
    put(200, "status", "Name:\tbash\nVmHWM:\t 400 kB\n");
    struct host_sampler_wish wish = {.fd = fd, .root = 200, .proc = proc, .log_bytes = &log_bytes};
    struct host_sampler *sampler = host_sampler_start(&wish);
    assert_non_null(sampler);
    nap(100);
    overwrite(200, "status", "Name:\tpython3\nVmHWM:\t 120000 kB\n");
    overwrite(200, "statm", "60000 30000 10 5 0 123 0\n");
    nap(1500);
    struct host_sampler_end end;
    host_sampler_stop(sampler, 0, 0, 0, &end);
    struct strbuf text = {0};
    read_back(fd, &text);
    char size[64];
    snprintf(size, sizeof size, "\"rss_bytes\":%llu", 30000ULL * (unsigned long long)sysconf(_SC_PAGESIZE));
    const char *name = strstr(strbuf_text(&text), "\"python3\""), *rss = strstr(strbuf_text(&text), size);
    assert_non_null(name);
    assert_non_null(rss);
    assert_true(name < rss);
    strbuf_release(&text);
    close(fd);
    remove_process(200);
    rmdir(proc);
    memcpy(proc, before, sizeof proc);
}

static void test_thousand_processes(void **state) {
    (void)state;
    char folder[] = "/tmp/ttmem_proc_XXXXXX";
    memcpy(proc, folder, sizeof folder);
    assert_non_null(mkdtemp(proc));
    /* the number of the test itself is never followed */
    int first = getpid() >= 2000 && getpid() <= 3000 ? 4000 : 2000;
    put_process(first, 1, 1000, "root", 100);
    for (int i = 1; i <= 1000; i++) put_process(first + i, first + (i - 1) / 10, 1001, "worker", 10);
    struct host_tree tree;
    host_tree_init(&tree, proc, first, NULL);
    host_tree_scan(&tree);
    host_tree_sizes(&tree);
    assert_int_equal(tree.processes.len, 1001);
    assert_true(tree.open_files <= tree.most_open_files);
    assert_int_equal(found(&tree, first + 1000)->rss_bytes, 10 * tree.page_bytes);
    host_tree_release(&tree);
    for (int i = 0; i <= 1000; i++) remove_process(first + i);
    rmdir(proc);
}

static void test_slope(void **state) {
    (void)state;
    struct slope slope;
    int64_t values[1000];
    for (int i = 0; i < 1000; i++) values[i] = 5000 + 70 * (int64_t)i + (i % 3 - 1) * 40;
    slope_find(values, 1000, &slope);
    assert_true(slope.known && slope.rises && slope.low > 60 && slope.high < 80);
    assert_int_equal(slope.per_step, 70);
    for (int i = 100; i < 200; i++) values[i] = 1 << 30; /* a tenth of it is nonsense */
    slope_find(values, 1000, &slope);
    assert_true(slope.per_step >= 60 && slope.per_step <= 90);
    for (int i = 0; i < 1000; i++) values[i] = 5000 + (i * 7919 % 101);
    slope_find(values, 1000, &slope);
    assert_true(slope.known && !slope.rises && slope.low <= 0 && slope.high >= 0);
    for (int i = 0; i < 40; i++) values[i] = 100;
    slope_find(values, 40, &slope);
    assert_true(slope.known && !slope.rises);
    assert_int_equal(slope.per_step, 0);
    slope_find(values, 4, &slope);
    assert_false(slope.known);
}

/* A part that only the last value has raises the slopes to it; one that all values have raises none. */
static void test_slope_of_bounds(void **state) {
    (void)state;
    struct slope slope;
    int64_t values[6];
    for (int i = 0; i < 6; i++) values[i] = 10 * i;
    slope_find_bounded(values, 6, (struct slope_slack[]){{0, 5, 1000}}, 1, &slope);
    assert_int_equal(slope.least, 10);
    assert_int_equal(slope.most, 10);
    /* of 15 slopes the bounds are the third and the fourteenth. To the last value they are up to 10 + 50 / 5, 50 / 4, ... 50 /
     * 1 */
    slope_find_bounded(values, 6, (struct slope_slack[]){{5, 5, 50}}, 1, &slope);
    assert_int_equal(slope.least, 10);
    assert_int_equal(slope.most, 35);
    assert_int_equal(slope.high, 10);
    /* from the first one 10 - 50 / 1, 50 / 2, 50 / 3, ... */
    slope_find_bounded(values, 6, (struct slope_slack[]){{0, 0, 50}}, 1, &slope);
    assert_int_equal(slope.least, -7);
    assert_int_equal(slope.most, 10);
}

static void test_lines(void **state) {
    (void)state;
    struct json_reader *json = json_reader_new();
    struct host_line line;
    assert_true(host_line_read(json, SLICE("{\"t_ms\":5,\"log_bytes\":7,\"pid\":9,\"rss_bytes\":4096}"), &line));
    assert_int_equal(line.kind, HOST_SIZE);
    assert_int_equal(line.rss_bytes, 4096);
    assert_int_equal(line.pss_bytes, HOST_UNKNOWN);
    assert_true(host_line_read(json, SLICE("{\"t_ms\":5,\"log_bytes\":7,\"available_bytes\":null}"), &line));
    assert_int_equal(line.kind, HOST_MACHINE);
    assert_int_equal(line.available_bytes, HOST_UNKNOWN);
    static const char *const bad[] = {"",
                                      "x",
                                      "[]",
                                      "{}",
                                      "{\"t_ms\":5}",
                                      "{\"t_ms\":5,\"log_bytes\":7,\"rss_bytes\":1}",
                                      "{\"t_ms\":5,\"log_bytes\":7,\"pid\":1,\"rss_bytes\":-1}",
                                      "{\"t_ms\":\"5\",\"log_bytes\":7,\"pid\":1,\"rss_bytes\":1}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(host_line_read(json, slice_from(bad[i]), &line));
    json_reader_free(json);
}

/* A number that is given to another process. */
static void test_number_given_again(void **state) {
    (void)state;
    static const char text[] =
        "{\"ttmem_host\":1,\"start_unix_ns\":1}\n"
        "{\"t_ms\":1,\"log_bytes\":0,\"pid\":7,\"start\":1,\"name\":\"a\",\"command\":null}\n"
        "{\"t_ms\":1,\"log_bytes\":0,\"pid\":7,\"rss_bytes\":100}\n"
        "{\"t_ms\":2,\"log_bytes\":0,\"pid\":7,\"gone\":true}\n"
        "{\"t_ms\":3,\"log_bytes\":0,\"pid\":7,\"start\":9,\"name\":\"b\",\"command\":null}\n"
        "{\"t_ms\":3,\"log_bytes\":0,\"pid\":7,\"rss_bytes\":300}\n"
        "not json\n"
        "{\"t_ms\":4,\"log_bytes\":0,\"pid\":8,\"rss_by";
    struct host_record record;
    struct host_use use;
    struct run run = {0};
    struct err err;
    assert_int_equal(host_record_read(&record, slice_from(text), "x", &err), 0);
    assert_int_equal(record.processes.len, 2);
    assert_int_equal(record.wrong_lines, 1);
    assert_false(record.ended);
    host_use_make(&record, &run, &use);
    assert_int_equal(use.processes.items[0].peak_bytes, 300);
    assert_int_equal(use.processes.items[1].peak_bytes, 100);
    assert_int_equal(use.together_bytes, 300);
    host_use_release(&use);
    host_record_release(&record);
}

/* A child that ended long ago is not there at the end; one that goes with the program is. */
static void test_end(void **state) {
    (void)state;
    static const char text[] =
        "{\"ttmem_host\":1,\"start_unix_ns\":1}\n"
        "{\"t_ms\":1,\"log_bytes\":0,\"pid\":7,\"start\":1,\"name\":\"main\",\"command\":null}\n"
        "{\"t_ms\":1,\"log_bytes\":0,\"pid\":7,\"rss_bytes\":100}\n"
        "{\"t_ms\":2,\"log_bytes\":0,\"pid\":8,\"start\":2,\"name\":\"compiler\",\"command\":null}\n"
        "{\"t_ms\":2,\"log_bytes\":0,\"pid\":8,\"rss_bytes\":900}\n"
        "{\"t_ms\":3,\"log_bytes\":0,\"pid\":9,\"start\":3,\"name\":\"engine\",\"command\":null}\n"
        "{\"t_ms\":3,\"log_bytes\":0,\"pid\":9,\"rss_bytes\":300}\n"
        "{\"t_ms\":2000,\"log_bytes\":0,\"pid\":8,\"gone\":true}\n"
        "{\"t_ms\":8900,\"log_bytes\":0,\"pid\":9,\"gone\":true}\n"
        "{\"t_ms\":9000,\"log_bytes\":0,\"end\":true,\"status\":0,\"signal\":0,\"kernel_kills\":0,"
        "\"largest_rss_bytes\":null,\"unreadable_processes\":0}\n";
    struct host_record record;
    struct host_use use;
    struct run run = {0};
    struct err err;
    assert_int_equal(host_record_read(&record, slice_from(text), "x", &err), 0);
    host_use_make(&record, &run, &use);
    assert_int_equal(use.processes.items[0].peak_bytes, 900);
    assert_int_equal(use.processes.items[0].end_bytes, 0);
    assert_int_equal(use.end_bytes, 300);
    assert_int_equal(record.processes.items[use.end_process].pid, 9);
    host_use_release(&use);
    host_record_release(&record);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_child_that_allocates),
        cmocka_unit_test(test_killed),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_name_of_a_size),
        cmocka_unit_test(test_thousand_processes),
        cmocka_unit_test(test_slope),
        cmocka_unit_test(test_slope_of_bounds),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_number_given_again),
        cmocka_unit_test(test_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
