/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/host_sampler.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/outfile.h"
#include "base/progress.h"
#include "capture/host_tree.h"
#include "source/cgroup.h"
#include "source/process.h"

static const int64_t MS = 1000000;

enum {
    FIRST_MS = 5,             /* between the first sizes, so that short runs have some too */
    STEPS_OF_AGE = 16,        /* then a sixteenth of the run's age, until the job's own period is reached */
    WRITE_BYTES = 64 << 10,   /* smaller changes of size are not written */
    WRITES_OF_AGE = 2000,     /* nor are changes sooner than this part of the run's age, */
    LARGE_CHANGE_PERCENT = 1, /* unless they are this large */
    FLUSH_BYTES = 16 << 10,
    TOGETHER_MS = 10,  /* jobs that are due this soon run now: one wakeup instead of two */
    TOGETHER_PART = 8, /* at most this part of its pause early */
};

enum { HUGE_SIZES = 8 };

struct huge_size {
    uint64_t kb;
    int all_fd, free_fd;
};

struct host_sampler {
    struct host_sampler_wish wish;
    struct host_tree tree;
    int meminfo_fd;
    bool has_huge; /* the machine reports them */
    struct huge_size huge[HUGE_SIZES];
    size_t huge_count;
    struct cgroup cgroup;
    uint64_t kills_before;
    size_t next_share; /* process whose shares are read next */
    struct strbuf out;
    struct host_sampler_end end;
    int64_t started_ns;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stop;
};

static void flush(struct host_sampler *s) {
    if (s->out.len && !s->end.write_errno && write_all(s->wish.fd, strbuf_slice(&s->out), NULL) != 0)
        s->end.write_errno = errno ? errno : EIO;
    strbuf_clear(&s->out);
}

/* {"t_ms":12,"log_bytes":345 */
static struct json line_begin(struct host_sampler *s) {
    struct json j = {.out = &s->out};
    json_object(&j);
    json_member_u64(&j, "t_ms", (uint64_t)(clock_ns() - s->started_ns) / (uint64_t)MS);
    json_member_u64(&j, "log_bytes", atomic_load(s->wish.log_bytes));
    return j;
}

static void line_end(struct host_sampler *s, struct json *j) {
    json_object_end(j);
    strbuf_addc(&s->out, '\n');
    if (s->out.len >= FLUSH_BYTES) flush(s);
}

static void write_process(struct host_sampler *s, const struct host_process *process) {
    struct strbuf command = {0};
    if (!s->wish.proc) process_command(process->pid, &command);
    struct json j = line_begin(s);
    json_member_u64(&j, "pid", (uint64_t)process->pid);
    json_member_u64(&j, "start", process->start_ticks);
    json_member_text(&j, "name", process->name[0] ? process->name : NULL);
    if (command.len) json_member_str(&j, "command", slice_take(strbuf_slice(&command), 512));
    else json_member_null(&j, "command");
    line_end(s, &j);
    strbuf_release(&command);
}

static void write_gone(struct host_sampler *s, const struct host_process *process) {
    struct json j = line_begin(s);
    json_member_u64(&j, "pid", (uint64_t)process->pid);
    json_member_bool(&j, "gone", true);
    line_end(s, &j);
}

static bool worth_writing(const struct host_sampler *s, const struct host_process *process, int64_t now) {
    uint64_t a = process->rss_bytes, b = process->written_rss, change = a > b ? a - b : b - a;
    if (!process->written_ns) return true;
    if (change < WRITE_BYTES) return false;
    return now - process->written_ns >= (now - s->started_ns) / WRITES_OF_AGE || change / LARGE_CHANGE_PERCENT >= b / 100;
}

static void write_size(struct host_sampler *s, struct host_process *process, int64_t now) {
    struct json j = line_begin(s);
    json_member_u64(&j, "pid", (uint64_t)process->pid);
    json_member_u64(&j, "rss_bytes", process->rss_bytes);
    line_end(s, &j);
    process->written_rss = process->rss_bytes;
    process->written_ns = now;
}

static void sample_sizes(struct host_sampler *s) {
    host_tree_sizes(&s->tree);
    int64_t now = clock_ns();
    for (size_t i = 0; i < s->tree.processes.len; i++) {
        struct host_process *process = &s->tree.processes.items[i];
        bool sized = !process->gone && !process->unreadable && worth_writing(s, process, now);
        /* another size may be that of another program (exec), which then has the peak */
        if (sized && process->written_ns) host_tree_name(&s->tree, process);
        if (process->fresh) write_process(s, process);
        process->fresh = false;
        if (process->gone) {
            if (process->written_ns >= 0) write_gone(s, process);
            process->written_ns = -1; /* the next scan removes it */
        } else if (sized) {
            write_size(s, process, now);
        }
    }
    s->end.ticks++;
}

static void scan(struct host_sampler *s) { host_tree_scan(&s->tree); }

static void sample_names(struct host_sampler *s) {
    host_tree_names(&s->tree);
    for (size_t i = 0; i < s->tree.processes.len; i++) {
        struct host_process *process = &s->tree.processes.items[i];
        if (process->gone || process->peak_bytes < process->written_peak + WRITE_BYTES) continue;
        struct json j = line_begin(s);
        json_member_u64(&j, "pid", (uint64_t)process->pid);
        json_member_u64(&j, "peak_rss_bytes", process->peak_bytes);
        line_end(s, &j);
        process->written_peak = process->peak_bytes;
    }
    flush(s);
}

static void sample_shares(struct host_sampler *s) {
    if (s->next_share >= s->tree.processes.len) s->next_share = 0;
    if (!s->tree.processes.len) return;
    struct host_process *process = &s->tree.processes.items[s->next_share];
    if (!host_tree_shares(&s->tree, s->next_share++)) return;
    struct json j = line_begin(s);
    json_member_u64(&j, "pid", (uint64_t)process->pid);
    json_member_u64(&j, "pss_bytes", process->pss_bytes);
    json_member_u64(&j, "swap_bytes", process->swap_bytes);
    json_member_u64(&j, "hugetlb_bytes", process->hugetlb_bytes);
    line_end(s, &j);
}

/* Finds the files of each huge page size: folders "hugepages-2048kB" with nr_hugepages and free_hugepages. */
static void find_huge_sizes(struct host_sampler *s) {
    static const char root[] = "/sys/kernel/mm/hugepages";
    DIR *folder = opendir(root);
    if (!folder) return;
    s->has_huge = true;
    for (const struct dirent *entry; s->huge_count < HUGE_SIZES && (entry = readdir(folder));) {
        struct slice name = slice_from(entry->d_name);
        struct huge_size size;
        char path[512];
        if (!slice_starts(name, SLICE("hugepages-")) || !num_read_u64(slice_skip(name, 10), &size.kb)) continue;
        snprintf(path, sizeof path, "%s/%s", root, entry->d_name);
        size.all_fd = process_open(path, 0, "nr_hugepages");
        size.free_fd = process_open(path, 0, "free_hugepages");
        s->huge[s->huge_count++] = size;
    }
    closedir(folder);
}

static bool read_number_again(int fd, uint64_t *number) {
    char text[32];
    return fd >= 0 && num_read_u64(slice_of(text, process_read_again(fd, text, sizeof text)), number) > 0;
}

/* Huge pages in use on the machine, over all sizes. */
static uint64_t huge_pages(const struct host_sampler *s) {
    uint64_t bytes = 0, all, unused;
    for (size_t i = 0; i < s->huge_count; i++)
        if (read_number_again(s->huge[i].all_fd, &all) && all && read_number_again(s->huge[i].free_fd, &unused) && all > unused)
            bytes += (all - unused) * s->huge[i].kb * 1024;
    return bytes;
}

static void member_if(struct json *j, const char *key, bool known, uint64_t bytes) {
    if (known) json_member_u64(j, key, bytes);
    else json_member_null(j, key);
}

static void sample_machine(struct host_sampler *s) {
    char text[4096];
    struct cgroup_memory group;
    uint64_t bytes = 0;
    cgroup_read(&s->cgroup, &group);
    if (group.has_kills && group.kills > s->kills_before) s->end.kernel_kills = group.kills - s->kills_before;
    struct slice meminfo = slice_of(text, s->meminfo_fd >= 0 ? process_read_again(s->meminfo_fd, text, sizeof text) : 0);
    struct json j = line_begin(s);
    bool known = process_field_kb(meminfo, "MemAvailable", &bytes);
    member_if(&j, "available_bytes", known, bytes);
    member_if(&j, "hugepages_bytes", s->has_huge, huge_pages(s));
    member_if(&j, "cgroup_bytes", group.has_usage, group.usage_bytes);
    member_if(&j, "cgroup_limit_bytes", group.has_limit, group.limit_bytes);
    line_end(s, &j);
}

/* A job pauses for at least `cost` times the CPU time that it took: 1000 limits it to a tenth of a percent of a core. */
struct sampler_job {
    void (*run)(struct host_sampler *s);
    int64_t period_ns;
    int64_t cost;
    bool hurries; /* runs more often while the run is young */
};

static const struct sampler_job jobs[] = {
    {scan, (int64_t)100 * 1000000, 1000, true},
    {sample_sizes, (int64_t)100 * 1000000, 1000, true},
    {sample_names, (int64_t)1000 * 1000000, 4000, true},
    {sample_shares, (int64_t)2000 * 1000000, 4000, false},
    {sample_machine, (int64_t)1000 * 1000000, 4000, false},
};
enum { JOBS = sizeof jobs / sizeof *jobs };

static int64_t cpu_ns(void) {
    struct timespec used;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) != 0) return 0;
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

static int64_t pause_of(const struct host_sampler *s, const struct sampler_job *job, int64_t now, int64_t cost) {
    int64_t pause = job->period_ns, young = (now - s->started_ns) / STEPS_OF_AGE;
    if (job->hurries && young < pause) pause = young > FIRST_MS * MS ? young : FIRST_MS * MS;
    return cost * job->cost > pause ? cost * job->cost : pause;
}

/* Reads the shares of all processes within one period, one process per step. */
static int64_t spread(const struct host_sampler *s, const struct sampler_job *job, int64_t pause) {
    if (job->run != sample_shares || s->tree.processes.len < 2) return pause;
    int64_t least = job->period_ns / (int64_t)s->tree.processes.len;
    return pause == job->period_ns ? least : pause;
}

static void wait_until(struct host_sampler *s, int64_t until) {
    struct timespec at;
    int64_t left = until - clock_ns();
    if (left <= 0) return;
    clock_gettime(CLOCK_MONOTONIC, &at);
    int64_t ns = at.tv_nsec + left;
    at.tv_sec += ns / 1000000000;
    at.tv_nsec = ns % 1000000000;
    pthread_mutex_lock(&s->lock);
    while (!s->stop && pthread_cond_timedwait(&s->wake, &s->lock, &at) == 0) continue;
    pthread_mutex_unlock(&s->lock);
}

static bool stopping(struct host_sampler *s) {
    pthread_mutex_lock(&s->lock);
    bool stop = s->stop;
    pthread_mutex_unlock(&s->lock);
    return stop;
}

static void *sample(void *who) {
    struct host_sampler *s = who;
    int64_t due[JOBS] = {0}, early[JOBS] = {0};
    while (!stopping(s)) {
        int64_t next = INT64_MAX, now = clock_ns();
        for (size_t i = 0; i < JOBS; i++) {
            if (due[i] - early[i] <= now) {
                int64_t before = cpu_ns();
                jobs[i].run(s);
                int64_t pause = spread(s, &jobs[i], pause_of(s, &jobs[i], now, cpu_ns() - before));
                due[i] = now + pause;
                early[i] = pause / TOGETHER_PART < TOGETHER_MS * MS ? pause / TOGETHER_PART : TOGETHER_MS * MS;
            }
            if (due[i] < next) next = due[i];
        }
        if (s->end.write_errno) break;
        wait_until(s, next);
    }
    s->end.cpu_ns = (uint64_t)cpu_ns();
    return NULL;
}

static void write_head(struct host_sampler *s) {
    char text[4096];
    uint64_t bytes = 0;
    struct cgroup_memory group;
    struct timespec clock;
    clock_gettime(CLOCK_REALTIME, &clock);
    cgroup_read(&s->cgroup, &group);
    if (group.has_kills) s->kills_before = group.kills;
    struct slice meminfo = slice_of(text, s->meminfo_fd >= 0 ? process_read_again(s->meminfo_fd, text, sizeof text) : 0);
    struct json j = {.out = &s->out};
    json_object(&j);
    json_member_u64(&j, "ttmem_host", 1);
    json_member_u64(&j, "schema_version", JSON_SCHEMA_VERSION);
    json_member_u64(&j, "start_unix_ns", (uint64_t)clock.tv_sec * 1000000000 + (uint64_t)clock.tv_nsec);
    json_member_u64(&j, "root_pid", (uint64_t)s->wish.root);
    bool known = process_field_kb(meminfo, "MemTotal", &bytes);
    member_if(&j, "machine_bytes", known, bytes);
    member_if(&j, "cgroup_limit_bytes", group.has_limit, group.limit_bytes);
    /* inherited by the child: its output does not show how L1 is allocated */
    const char *hybrid = getenv("TT_METAL_ALLOCATOR_MODE_HYBRID");
    json_member_bool(&j, "l1_per_core", hybrid && strcmp(hybrid, "1") == 0);
    line_end(s, &j);
}

static void release(struct host_sampler *s) {
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->wake);
    if (s->meminfo_fd >= 0) close(s->meminfo_fd);
    for (size_t i = 0; i < s->huge_count; i++) {
        if (s->huge[i].all_fd >= 0) close(s->huge[i].all_fd);
        if (s->huge[i].free_fd >= 0) close(s->huge[i].free_fd);
    }
    host_tree_release(&s->tree);
    cgroup_release(&s->cgroup);
    strbuf_release(&s->out);
    free(s);
}

struct host_sampler *host_sampler_start(const struct host_sampler_wish *wish) {
    struct host_sampler *s = mem_zalloc(1, sizeof *s);
    const char *proc = wish->proc ? wish->proc : "/proc";
    s->wish = *wish;
    s->started_ns = clock_ns();
    host_tree_init(&s->tree, proc, wish->root, wish->mark);
    cgroup_find(&s->cgroup, proc, wish->root, "/sys/fs/cgroup");
    s->meminfo_fd = process_open(proc, 0, "meminfo");
    find_huge_sizes(s);
    write_head(s);
    flush(s);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    /* signals are for the thread that runs the command */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool threaded = pthread_create(&s->thread, NULL, sample, s) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (threaded) return s;
    release(s);
    return NULL;
}

static void write_end(struct host_sampler *s, int status, int signal, uint64_t largest_bytes) {
    struct cgroup_memory group;
    cgroup_read(&s->cgroup, &group);
    if (group.has_kills && group.kills > s->kills_before) s->end.kernel_kills = group.kills - s->kills_before;
    struct json j = line_begin(s);
    json_member_bool(&j, "end", true);
    json_member_i64(&j, "status", status);
    json_member_i64(&j, "signal", signal);
    member_if(&j, "kernel_kills", group.has_kills, s->end.kernel_kills);
    member_if(&j, "largest_rss_bytes", largest_bytes > 0, largest_bytes);
    json_member_u64(&j, "unreadable_processes", s->tree.unreadable);
    line_end(s, &j);
    flush(s);
}

void host_sampler_stop(struct host_sampler *s, int status, int signal, uint64_t largest_bytes, struct host_sampler_end *end) {
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    write_end(s, status, signal, largest_bytes);
    s->end.unreadable = s->tree.unreadable;
    s->end.ns = (uint64_t)(clock_ns() - s->started_ns);
    *end = s->end;
    release(s);
}
