/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/host_tree.h"

#include <dirent.h>
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/num.h"
#include "source/process.h"

enum { ENVIRONMENT_READ = 128 << 10, FILES_KEPT = 512, NUMBERS_TRIED = 256, SHARES_PASSED = 3 };

void host_tree_init(struct host_tree *tree, const char *proc, int root, const char *mark) {
    *tree = (struct host_tree){.proc = proc, .mark = mark, .root = root};
    long page = sysconf(_SC_PAGESIZE);
    tree->page_bytes = page > 0 ? (uint64_t)page : 4096;
    struct rlimit files;
    /* the rest of the program needs some too */
    tree->most_open_files =
        getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur / 4 < FILES_KEPT ? (unsigned)(files.rlim_cur / 4) : FILES_KEPT;
    struct process_stat stat;
    if (process_stat_read(proc, root, &stat)) tree->root_start = stat.start_ticks;
    tree->given_fd = process_open(proc, 0, "loadavg");
}

static struct host_process *process_of(struct host_tree *tree, int pid) {
    for (size_t i = 0; i < tree->processes.len; i++)
        if (tree->processes.items[i].pid == pid && !tree->processes.items[i].gone) return &tree->processes.items[i];
    return NULL;
}

static void take_name(struct host_process *process, struct slice text) {
    char name[sizeof process->name];
    size_t n = 0;
    /* status escapes newlines and backslashes as C does */
    for (size_t i = 0; i < text.len && n + 1 < sizeof name; i++) {
        bool escaped = text.ptr[i] == '\\' && i + 1 < text.len && (text.ptr[i + 1] == 'n' || text.ptr[i + 1] == '\\');
        if (escaped) i++;
        name[n++] = escaped && text.ptr[i] == 'n' ? '\n' : text.ptr[i];
    }
    name[n] = 0;
    if (!n || strcmp(name, process->name) == 0) return;
    memcpy(process->name, name, n + 1);
    process->fresh = true;
}

/* "Name:\tpython3\nUmask:\t0022\n..."; false if it does not begin so. */
static bool take_status(struct host_process *process, struct slice status) {
    uint64_t bytes;
    bool named = slice_starts(status, SLICE("Name:\t"));
    if (named) {
        struct slice name = slice_skip(status, 6);
        take_name(process, slice_take(name, slice_find_byte(name, '\n')));
    }
    if (process_field_kb(status, "VmHWM", &bytes) && bytes > process->peak_bytes) process->peak_bytes = bytes;
    return named;
}

static size_t read_kept(const struct host_tree *tree, const struct host_process *process, int fd, const char *what, char *out,
                        size_t room) {
    return fd >= 0 ? process_read_again(fd, out, room) : process_read(tree->proc, process->pid, what, out, room);
}

static void look_at_status(struct host_tree *tree, struct host_process *process) {
    char text[4096];
    struct slice status = slice_of(text, read_kept(tree, process, process->status_fd, "status", text, sizeof text));
    if (take_status(process, status)) return;
    struct slice name = slice_of(text, process_read(tree->proc, process->pid, "comm", text, sizeof text));
    take_name(process, slice_take(name, slice_find_byte(name, '\n')));
}

/* -1: enough are open, or it cannot be opened. */
static int keep_open(struct host_tree *tree, int pid, const char *what) {
    if (tree->open_files >= tree->most_open_files) return -1;
    int fd = process_open(tree->proc, pid, what);
    tree->open_files += fd >= 0;
    return fd;
}

static void close_kept(struct host_tree *tree, int fd) {
    if (fd < 0) return;
    close(fd);
    tree->open_files--;
}

static void follow(struct host_tree *tree, int pid, uint64_t start_ticks) {
    struct host_process process = {.pid = pid, .start_ticks = start_ticks, .fresh = true};
    process.size_fd = keep_open(tree, pid, "statm");
    process.status_fd = keep_open(tree, pid, "status");
    look_at_status(tree, &process);
    vec_push(&tree->processes, process);
}

static bool carries_mark(const struct host_tree *tree, int pid) {
    if (!tree->mark) return false;
    char *text = mem_alloc(ENVIRONMENT_READ);
    struct slice rest = slice_of(text, process_read(tree->proc, pid, "environ", text, ENVIRONMENT_READ));
    bool found = false;
    while (rest.len && !found) {
        size_t end = slice_find_byte(rest, '\0');
        found = slice_equal(slice_take(rest, end), slice_from(tree->mark));
        if (end == SLICE_NONE) break;
        rest = slice_skip(rest, end + 1);
    }
    free(text);
    return found;
}

static int rising(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

static void forget_gone(struct host_tree *tree) {
    size_t kept = 0;
    for (size_t i = 0; i < tree->processes.len; i++) {
        struct host_process *process = &tree->processes.items[i];
        if (!process->gone) {
            tree->processes.items[kept++] = *process;
            continue;
        }
        close_kept(tree, process->size_fd);
        close_kept(tree, process->status_fd);
    }
    tree->processes.len = kept;
}

/* A process that is older than the child cannot belong to it. */
static void consider(struct host_tree *tree, int pid) {
    struct process_stat stat;
    if (pid == getpid() || process_of(tree, pid) || !process_stat_read(tree->proc, pid, &stat)) return;
    if (stat.start_ticks < tree->root_start) return;
    if (pid == tree->root || process_of(tree, stat.parent) || carries_mark(tree, pid)) follow(tree, pid, stat.start_ticks);
}

/* The last word of /proc/loadavg: "0.00 0.01 0.05 1/123 4567". */
static uint64_t last_number_given(const struct host_tree *tree) {
    char text[128];
    size_t n = tree->given_fd >= 0 ? process_read_again(tree->given_fd, text, sizeof text) : 0;
    const char *blank = n ? memrchr(text, ' ', n) : NULL;
    uint64_t number;
    return blank && num_read_u64(slice_between(blank + 1, text + n), &number) && number <= INT32_MAX ? number : 0;
}

/* Threads get numbers too, and a thread's folder can be opened although it is not listed. */
static bool is_process(const struct host_tree *tree, int pid) {
    char text[1024];
    struct slice status = slice_of(text, process_read(tree->proc, pid, "status", text, sizeof text));
    size_t at = slice_find(status, SLICE("\nTgid:"));
    uint64_t group;
    return at != SLICE_NONE && num_read_u64(slice_trim(slice_skip(status, at + 6)), &group) && group == (uint64_t)pid;
}

/* Tries the numbers given out since the last scan; false: too many, or unknown. */
static bool try_new_numbers(struct host_tree *tree) {
    uint64_t given = last_number_given(tree), from = tree->last_given;
    tree->last_given = given;
    if (!given || !from || given < from || given - from > NUMBERS_TRIED) return false;
    for (int pid = (int)from + 1; pid <= (int)given; pid++)
        if (is_process(tree, pid)) consider(tree, pid);
    return true;
}

static void list_all(struct host_tree *tree) {
    DIR *folder = opendir(tree->proc);
    if (!folder) return;
    VEC(int) now = {0};
    for (const struct dirent *entry; (entry = readdir(folder));) {
        uint64_t pid;
        size_t length = strlen(entry->d_name);
        if (num_read_u64(slice_of(entry->d_name, length), &pid) == length && pid && pid <= INT32_MAX) vec_push(&now, (int)pid);
    }
    closedir(folder);
    if (now.len) qsort(now.items, now.len, sizeof *now.items, rising);
    for (size_t i = 0, old = 0; i < now.len; i++) {
        while (old < tree->seen.len && tree->seen.items[old] < now.items[i]) old++;
        bool known = old < tree->seen.len && tree->seen.items[old] == now.items[i];
        if (!known && (tree->seen.len || now.items[i] >= tree->root)) consider(tree, now.items[i]);
    }
    free(tree->seen.items);
    tree->seen.items = now.items;
    tree->seen.len = now.len;
    tree->seen.cap = now.cap;
}

void host_tree_scan(struct host_tree *tree) {
    forget_gone(tree);
    if (!try_new_numbers(tree)) list_all(tree);
}

/* "765 437 409 ...": total, resident and shared pages. All are 0 for a process that has ended but was not waited for yet. */
static void read_size(struct host_tree *tree, struct host_process *process) {
    char text[128];
    struct slice rest = slice_of(text, read_kept(tree, process, process->size_fd, "statm", text, sizeof text));
    uint64_t pages, resident;
    size_t digits = num_read_u64(rest, &pages);
    if (!digits || !num_read_u64(slice_trim(slice_skip(rest, digits)), &resident)) {
        struct process_stat stat;
        bool same = process_stat_read(tree->proc, process->pid, &stat) && stat.start_ticks == process->start_ticks;
        if (same && !process->unreadable) tree->unreadable++;
        process->unreadable |= same;
        process->gone = !same;
        return;
    }
    process->gone = !pages;
    process->rss_bytes = resident * tree->page_bytes;
}

void host_tree_sizes(struct host_tree *tree) {
    for (size_t i = 0; i < tree->processes.len; i++)
        if (!tree->processes.items[i].gone) read_size(tree, &tree->processes.items[i]);
}

void host_tree_names(struct host_tree *tree) {
    for (size_t i = 0; i < tree->processes.len; i++)
        if (!tree->processes.items[i].gone) look_at_status(tree, &tree->processes.items[i]);
}

void host_tree_name(struct host_tree *tree, struct host_process *process) {
    if (!process->gone) look_at_status(tree, process);
}

bool host_tree_shares(struct host_tree *tree, size_t at) {
    char text[4096];
    struct host_process *process = &tree->processes.items[at];
    if (process->gone) return false;
    bool same = process->has_shares && process->rss_bytes == process->shares_rss;
    if (same && process->shares_passed++ < SHARES_PASSED) return false;
    process->shares_passed = 0;
    process->shares_rss = process->rss_bytes;
    struct slice rollup = slice_of(text, process_read(tree->proc, process->pid, "smaps_rollup", text, sizeof text));
    uint64_t bytes = 0, shared = 0;
    if (!process_field_kb(rollup, "Pss", &bytes)) return false;
    process->has_shares = true;
    process->pss_bytes = bytes;
    process->swap_bytes = process_field_kb(rollup, "Swap", &bytes) ? bytes : 0;
    process->hugetlb_bytes = process_field_kb(rollup, "Private_Hugetlb", &bytes) ? bytes : 0;
    if (process_field_kb(rollup, "Shared_Hugetlb", &shared)) process->hugetlb_bytes += shared;
    return true;
}

void host_tree_release(struct host_tree *tree) {
    for (size_t i = 0; i < tree->processes.len; i++) {
        close_kept(tree, tree->processes.items[i].size_fd);
        close_kept(tree, tree->processes.items[i].status_fd);
    }
    if (tree->given_fd >= 0) close(tree->given_fd);
    vec_release(&tree->processes);
    vec_release(&tree->seen);
}
