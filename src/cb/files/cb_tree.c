/* SPDX-License-Identifier: Apache-2.0 */
#include "cb/files/cb_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/ordered.h"
#include "cb/files/cb_headers.h"
#include "cb/files/cb_paths.h"
#include "cb/python/py_source.h"
#include "device/chip.h"

enum {
    MAX_SOURCE_BYTES = 64 << 20,
    MAX_INCLUDES = 12,
    MAX_INCLUDE_BYTES = 256 << 10,
    MAX_FOLDER_DEPTH = 40,
    MAX_THREADS = 16,
    MAX_ROUNDS = 3
};

int read_whole(const char *path, struct slice *text, struct err *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return err_set_errno(err, ERR_INPUT, "cannot open '%s'", path);
    struct strbuf bytes = {0};
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < MAX_SOURCE_BYTES)
        strbuf_room(&bytes, (size_t)st.st_size + 1);
    for (;;) {
        char *room = strbuf_room(&bytes, 65536);
        ssize_t n = read(fd, room, bytes.cap - bytes.len - 1);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            err_set_errno(err, ERR_INPUT, "cannot read '%s'", path);
            strbuf_release(&bytes);
            close(fd);
            return -1;
        }
        if (n == 0) break;
        strbuf_took(&bytes, (size_t)n);
        if (bytes.len > MAX_SOURCE_BYTES) break;
    }
    close(fd);
    strbuf_text(&bytes);
    *text = slice_of(bytes.data, bytes.len);
    return 0;
}

/* --- finding files --- */

typedef VEC(char *) path_list;

static bool is_source_name(const char *name) {
    static const char *const endings[] = {".cpp", ".hpp", ".cc", ".hh", ".cxx", ".hxx", ".h", ".inl", ".py"};
    struct slice s = slice_from(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (slice_ends(s, slice_from(endings[i]))) return true;
    return false;
}

/* Symbolic links to folders are not followed: a tree can point into itself. */
static void walk(const char *folder, path_list *out, unsigned depth) {
    DIR *dir = depth < MAX_FOLDER_DEPTH ? opendir(folder) : NULL;
    if (!dir) return;
    for (struct dirent *entry; (entry = readdir(dir));) {
        const char *name = entry->d_name;
        if (name[0] == '.' || strcmp(name, "node_modules") == 0) continue;
        unsigned char type = entry->d_type;
        if (type == DT_REG && !is_source_name(name)) continue;
        struct strbuf path = {0};
        if (strcmp(folder, ".") != 0) strbuf_addf(&path, "%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/");
        strbuf_addz(&path, name);
        if (type == DT_UNKNOWN) {
            struct stat st;
            type = lstat(strbuf_text(&path), &st) == 0 && S_ISDIR(st.st_mode) ? DT_DIR : DT_REG;
        }
        if (type == DT_DIR) walk(strbuf_text(&path), out, depth + 1);
        else if ((type == DT_REG || type == DT_LNK) && is_source_name(name)) vec_push(out, mem_strdup(strbuf_text(&path)));
        strbuf_release(&path);
    }
    closedir(dir);
}

static int by_path(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* A file that is reached twice, by two names or both directly and through its folder, counts once, under the name that sorts
 * first. */
static void drop_repeats(path_list *paths) {
    struct identity {
        dev_t device;
        ino_t file;
        size_t at;
    };
    size_t cap = 16, kept = 0;
    while (cap < paths->len * 2) cap *= 2;
    struct identity *seen = mem_zalloc(cap, sizeof *seen);
    for (size_t i = 0; i < paths->len; i++) {
        struct stat st;
        bool repeated = false;
        if (stat(paths->items[i], &st) == 0) {
            size_t k = ((size_t)st.st_ino * 0x9e3779b97f4a7c15u >> 16) & (cap - 1);
            while (seen[k].at && (seen[k].file != st.st_ino || seen[k].device != st.st_dev)) k = (k + 1) & (cap - 1);
            repeated = seen[k].at != 0;
            seen[k] = (struct identity){st.st_dev, st.st_ino, i + 1};
        }
        if (repeated) free(paths->items[i]);
        else paths->items[kept++] = paths->items[i];
    }
    paths->len = kept;
    free(seen);
}

/* --- files that a source names --- */

static bool is_file(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Where to look for files. */
struct file_places {
    const struct cb_tree_options *options;
    char *working_folder; /* NULL: unknown */
    size_t working_root;  /* length of its prefix that is the surrounding checkout; 0: none */
    struct cb_paths tree; /* all files that were found */
    pthread_mutex_t lock; /* guards the fields below */
    char *repository;     /* around a file that was given alone; NULL: none, or already listed */
    path_list below;      /* its files */
};

/* The repository around a source that was given alone is listed only when a file of it is needed. */
static void list_repository(struct file_places *places) {
    pthread_mutex_lock(&places->lock);
    if (places->repository) {
        walk(places->repository, &places->below, 0);
        cb_paths_release(&places->tree);
        cb_paths_init(&places->tree, (const char *const *)places->below.items, places->below.len);
        free(places->repository);
        places->repository = NULL;
    }
    pthread_mutex_unlock(&places->lock);
}

/* Returns the nearest folder above a file that is a checkout, or NULL. The caller frees it. */
static char *repository_of(const char *file) {
    char *path = realpath(file, NULL);
    for (char *slash; path && (slash = strrchr(path, '/')) && slash != path;) {
        *slash = '\0';
        struct strbuf git = {0};
        strbuf_addf(&git, "%s/.git", path);
        bool here = access(strbuf_text(&git), F_OK) == 0;
        strbuf_release(&git);
        if (here) return path;
    }
    free(path);
    return NULL;
}

/* Length of the checkout's path in a folder's path; greater than the folder's path if the folder is a checkout itself. */
static size_t root_of(const char *folder) {
    char *checkout = repository_of(".");
    size_t bytes = access(".git", F_OK) == 0 && folder ? strlen(folder) + 1 : checkout ? strlen(checkout) : 0;
    free(checkout);
    return bytes;
}

static bool find_in_tree(struct file_places *places, const char *source, struct slice name, struct strbuf *out) {
    list_repository(places);
    char *whole = places->below.len ? realpath(source, NULL) : NULL;
    bool found = cb_paths_find(&places->tree, whole ? whole : source, name, out);
    free(whole);
    return found;
}

/* Looks for `name` in every folder above `from`, down to its first `root` bytes. */
static bool find_above(struct slice from, size_t root, struct slice name, struct strbuf *out) {
    size_t end = from.len;
    for (unsigned up = 0; up < 24 && end >= root; up++) {
        while (end > 0 && from.ptr[end - 1] != '/') end--;
        if (end < root) break;
        strbuf_clear(out);
        strbuf_add(out, slice_of(from.ptr, end));
        strbuf_add(out, name);
        if (is_file(strbuf_text(out))) return true;
        if (end == 0) break;
        end--;
    }
    return false;
}

/* Looks for `name` beside the source, in every folder above it, in the given folders and TT_METAL_HOME, then anywhere in the
 * tree. */
static bool resolve(void *ctx, const char *source, struct slice name, struct strbuf *out) {
    struct file_places *places = ctx;
    const struct cb_tree_options *options = places->options;
    if (!name.len || name.len > 1024 || memchr(name.ptr, '\0', name.len)) return false;
    strbuf_clear(out);
    if (name.ptr[0] == '/') {
        strbuf_add(out, name);
        return is_file(strbuf_text(out));
    }
    if (find_above(slice_from(source), 0, name, out)) return true;
    /* a relative path starts in the working folder, which has folders above it too */
    struct slice working = places->working_folder ? slice_from(places->working_folder) : SLICE("");
    if (source[0] != '/' && working.len && find_above(working, places->working_root, name, out)) return true;
    for (size_t i = 0; i < options->n_includes; i++) {
        strbuf_clear(out);
        strbuf_addf(out, "%s/", options->includes[i]);
        strbuf_add(out, name);
        if (is_file(strbuf_text(out))) return true;
    }
    const char *home = getenv("TT_METAL_HOME");
    if (home && home[0]) {
        strbuf_clear(out);
        strbuf_addf(out, "%s/", home);
        strbuf_add(out, name);
        if (is_file(strbuf_text(out))) return true;
    }
    return find_in_tree(places, source, name, out);
}

/* Returns whether the file can make buffers itself. */
static bool take_include(cb_trees *out, struct cb_cache *cache, const char *path, bool same_folder) {
    struct slice text = cb_cache_text(cache, path);
    if (out->len >= MAX_INCLUDES || !text.ptr || text.len >= MAX_INCLUDE_BYTES) return false;
    bool makes = cb_source_is_candidate(text), useful = makes || text.len < (same_folder ? 65536u : 12288u);
    const struct cpp_tree *tree = useful ? cb_cache_tree(cache, path) : NULL;
    if (tree) vec_push(out, tree);
    return makes;
}

/* Reads headers of the source's own folder, small ones of other folders, and those that make buffers, with the .cpp beside
 * them. */
static void read_includes(cb_trees *out, struct cb_cache *cache, struct file_places *places, const char *source,
                          struct slice text) {
    struct strbuf path = {0};
    for (struct slice name; out->len < MAX_INCLUDES && cb_next_include(&text, &name, true);) {
        if (!resolve(places, source, name, &path)) continue;
        const char *slash = strrchr(source, '/');
        size_t folder = slash ? (size_t)(slash - source + 1) : 0;
        bool same_folder =
            path.len > folder && memcmp(path.data, source, folder) == 0 && !strchr(strbuf_text(&path) + folder, '/');
        bool makes = take_include(out, cache, strbuf_text(&path), same_folder);
        char *dot = strrchr(path.data, '.');
        if (!makes || !dot) continue;
        path.len = (size_t)(dot - path.data);
        strbuf_addz(&path, ".cpp");
        if (strcmp(strbuf_text(&path), source) != 0 && is_file(strbuf_text(&path)))
            take_include(out, cache, strbuf_text(&path), false);
    }
    strbuf_release(&path);
}

static void read_kernels(struct cb_file *file, struct cb_cache *cache, struct file_places *places, const char *source) {
    struct strbuf path = {0};
    for (size_t i = 0; i < file->source.kernels.len; i++) {
        const struct cb_kernel_ref *ref = &file->source.kernels.items[i];
        struct cb_kernel kernel = {
            .path = ref->path, .file = SLICE(""), .line = ref->line, .program = ref->program, .ref = ref};
        const struct kernel_facts *facts =
            resolve(places, source, ref->path, &path) ? cb_cache_kernel(cache, strbuf_text(&path), resolve, places) : NULL;
        if (facts) {
            kernel.file = arena_copy(&file->source.arena, strbuf_slice(&path));
            kernel_facts_resolve(&kernel.facts, facts, &(struct kernel_args){ref->args, ref->n_args, ref->named, ref->n_named});
        }
        vec_push(&file->kernels, kernel);
    }
    strbuf_release(&path);
}

/* --- the threads --- */

struct scan_job {
    const path_list *paths;
    const struct cb_tree_options *options;
    struct file_places places;
    struct cb_file **results; /* one per path; NULL: no result */
    struct progress progress;
    struct cb_cache cache;
    struct cb_set *sets; /* the given values, then those that follow from the chip */
    size_t n_sets;
    _Atomic size_t next, read;
    pthread_mutex_t lock;
    struct err *err; /* for the first path that cannot be read; a dangling link is not an error */
    size_t unread;   /* the index of that path, counted from 1 */
};

static void take_error(struct scan_job *job, size_t i, const struct err *err) {
    pthread_mutex_lock(&job->lock);
    if (!job->unread || i + 1 < job->unread) {
        job->unread = i + 1;
        if (job->err) *job->err = *err;
    }
    pthread_mutex_unlock(&job->lock);
}

/* Both scans of a source are right; does `a` know at least as much as `b`? */
static bool says_more(const struct cb_source *a, const struct cb_source *b) {
    const struct cb_source *both[] = {a, b};
    size_t known[2] = {0};
    for (unsigned k = 0; k < 2; k++)
        for (size_t i = 0; i < both[k]->decls.len; i++) {
            const struct cb_decl *d = &both[k]->decls.items[i];
            if (d->total_bytes >= 0) known[k]++;
            if (d->max_bytes >= 0) known[k]++;
            if (d->closed) known[k]++;
        }
    return a->partial <= b->partial && a->decls.len >= b->decls.len && a->kernels.len >= b->kernels.len && known[0] >= known[1];
}

static void scan_one(struct scan_job *job, size_t i) {
    const char *path = job->paths->items[i];
    struct slice text;
    struct err err = {0};
    if (read_whole(path, &text, &err) != 0) {
        if (access(path, F_OK) == 0) take_error(job, i, &err);
        return;
    }
    job->read++;
    bool candidate = cb_source_is_candidate(text), python = slice_ends(slice_from(path), SLICE(".py"));
    candidate |= !python && cb_source_makes_program(text);
    struct strbuf as_cpp = {0};
    bool errors = false;
    if (python && candidate && py_source_to_cpp(text, &as_cpp, &errors)) {
        free((void *)text.ptr);
        text = strbuf_slice(&as_cpp); /* the strbuf owns it now */
    } else if (python) {
        candidate = false;
    }
    if (candidate || job->options->keep_all) {
        struct cb_file *file = mem_zalloc(1, sizeof *file);
        cb_trees includes = {0};
        struct file_places near = {.options = job->options, .lock = PTHREAD_MUTEX_INITIALIZER};
        if (candidate && !python) read_includes(&includes, &job->cache, &near, path, text);
        if (python) cb_source_scan_python(&file->source, text, job->sets, job->n_sets);
        else cb_source_scan(&file->source, text, includes.items, includes.len, job->sets, job->n_sets);
        /* constants and functions from headers further away, one layer per round */
        for (unsigned round = 0; candidate && !python && round < MAX_ROUNDS; round++) {
            if (!cb_headers_add(&includes, &job->cache, path, &file->source, resolve, &job->places)) break;
            struct cb_source further;
            cb_source_scan(&further, text, includes.items, includes.len, job->sets, job->n_sets);
            bool better = says_more(&further, &file->source);
            cb_source_release(better ? &file->source : &further);
            if (better) file->source = further;
        }
        vec_release(&includes);
        file->path = slice_from(path);
        if (file->source.decls.len) read_kernels(file, &job->cache, &job->places, path);
        bool keep = file->source.decls.len || file->source.partial || file->source.helpers.len || job->options->keep_all;
        if (keep) {
            cb_file_finish(file, job->options->chip);
            job->results[i] = file;
        } else {
            cb_file_release(file);
            free(file);
        }
    }
    free((void *)text.ptr);
}

static void *scan_some(void *context) {
    struct scan_job *job = context;
    for (size_t i; (i = job->next++) < job->paths->len;) {
        scan_one(job, i);
        progress_add(&job->progress, 1);
    }
    return NULL;
}

static unsigned thread_count(size_t files) {
    unsigned cores = ordered_threads();
    if (cores > MAX_THREADS) cores = MAX_THREADS;
    return cores > files ? (unsigned)(files ? files : 1) : cores;
}

int cb_tree_scan(struct cb_tree *tree, const char *const *paths, size_t n_paths, const struct cb_tree_options *options,
                 struct err *err) {
    *tree = (struct cb_tree){0};
    int64_t started = clock_ns();
    path_list found = {0};
    bool folders = false;
    int rc = 0;
    for (size_t i = 0; i < n_paths && rc == 0; i++) {
        struct stat st;
        if (stat(paths[i], &st) != 0) rc = err_set_errno(err, ERR_INPUT, "cannot read '%s'", paths[i]);
        else if (S_ISDIR(st.st_mode)) walk(paths[i], &found, 0), folders = true;
        else if (access(paths[i], R_OK) != 0) rc = err_set_errno(err, ERR_INPUT, "cannot read '%s'", paths[i]);
        else vec_push(&found, mem_strdup(paths[i]));
    }
    if (rc == 0) {
        if (found.len) qsort(found.items, found.len, sizeof *found.items, by_path);
        if (n_paths > 1) drop_repeats(&found);
        struct scan_job job = {.paths = &found,
                               .options = options,
                               .results = mem_zalloc(found.len + 1, sizeof *job.results),
                               .lock = PTHREAD_MUTEX_INITIALIZER,
                               .err = err};
        cb_cache_init(&job.cache);
        job.places = (struct file_places){.options = options, .lock = PTHREAD_MUTEX_INITIALIZER};
        job.places.working_folder = getcwd(NULL, 0);
        job.places.working_root = root_of(job.places.working_folder);
        if (!folders && n_paths) job.places.repository = repository_of(paths[0]);
        cb_paths_init(&job.places.tree, (const char *const *)found.items, found.len);
        char dram_align[16];
        job.sets = mem_zalloc(options->n_sets + 1, sizeof *job.sets);
        for (size_t i = 0; i < options->n_sets; i++) job.sets[i] = options->sets[i];
        job.n_sets = options->n_sets;
        if (options->chip) {
            snprintf(dram_align, sizeof dram_align, "%u", options->chip->dram_align);
            job.sets[job.n_sets++] = (struct cb_set){SLICE("get_dram_alignment"), slice_from(dram_align), true};
        }
        progress_start(&job.progress, options->progress, "reading sources", found.len);
        pthread_t threads[MAX_THREADS];
        unsigned n = thread_count(found.len), running = 0;
        while (running + 1 < n && pthread_create(&threads[running], NULL, scan_some, &job) == 0) running++;
        scan_some(&job);
        for (unsigned i = 0; i < running; i++) pthread_join(threads[i], NULL);
        progress_end(&job.progress);
        for (size_t i = 0; i < found.len; i++) {
            if (!job.results[i]) continue;
            job.results[i]->path = arena_copy(&tree->arena, job.results[i]->path);
            tree->sets_used |= job.results[i]->source.sets_used;
            vec_push(&tree->files, *job.results[i]);
            free(job.results[i]);
        }
        tree->files_read = job.read;
        rc = job.unread ? -1 : 0;
        cb_cache_release(&job.cache);
        cb_paths_release(&job.places.tree);
        for (size_t i = 0; i < job.places.below.len; i++) free(job.places.below.items[i]);
        vec_release(&job.places.below);
        free(job.places.repository);
        free(job.places.working_folder);
        free(job.sets);
        free(job.results);
    }
    for (size_t i = 0; i < found.len; i++) free(found.items[i]);
    vec_release(&found);
    if (rc != 0) cb_tree_release(tree);
    tree->ns = clock_ns() - started;
    return rc;
}

void cb_tree_relative(struct cb_tree *tree, const char *root) {
    size_t len = strlen(root);
    for (size_t i = 0; i < tree->files.len; i++) {
        struct slice *path = &tree->files.items[i].path;
        if (path->len > len && memcmp(path->ptr, root, len) == 0)
            *path = slice_skip(*path, path->ptr[len] == '/' ? len + 1 : len);
    }
}

void cb_tree_release(struct cb_tree *tree) {
    for (size_t i = 0; i < tree->files.len; i++) cb_file_release(&tree->files.items[i]);
    vec_release(&tree->files);
    arena_release(&tree->arena);
}
