/* SPDX-License-Identifier: Apache-2.0 */
#include "work/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/num.h"
#include "base/outfile.h"
#include "base/rank_folders.h"

enum { MOST_JOB = 80, MOST_RANKS = 100000 };

/* What each launcher sets. tt-run runs mpirun, and its own number is that of mpirun. */
static const struct launcher {
    const char *rank, *size;
    const char *job[2]; /* joined, they name the run */
    bool alone;         /* the number shows several processes even if nothing names the run */
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {"PMIX_NAMESPACE", NULL}, false},
    {"SLURM_PROCID", "SLURM_NTASKS", {"SLURM_JOB_ID", "SLURM_STEP_ID"}, false},
    {"PMIX_RANK", NULL, {"PMIX_NAMESPACE", NULL}, false},
    {"TT_RUN_RANK", NULL, {"TT_RUN_ID", NULL}, true},
};

static bool number_of(const char *name, uint64_t *number) {
    const char *text = name ? getenv(name) : NULL;
    return text && text[0] && num_read_u64(slice_from(text), number) == strlen(text) && *number < MOST_RANKS;
}

static void add_safe(struct strbuf *out, const char *text) {
    for (; *text && out->len < MOST_JOB; text++) {
        bool plain = (*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
                     *text == '-' || (*text == '.' && out->len && out->data[out->len - 1] != '.');
        strbuf_addc(out, plain ? *text : '_');
    }
}

void launched_find(struct launched *out) {
    *out = (struct launched){0};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers && !out->several; i++) {
        const struct launcher *l = &launchers[i];
        const char *first = getenv(l->job[0]), *second = l->job[1] ? getenv(l->job[1]) : NULL;
        if (!number_of(l->rank, &out->rank)) continue;
        bool named = first && first[0] && (!l->job[1] || second);
        out->unnamed = !named && l->alone;
        if (!named) continue;
        out->size = 0;
        if (number_of(l->size, &out->size) && out->size < 2) return; /* a single process: the same as without a launcher */
        out->several = true;
        add_safe(&out->job, first);
        if (second) strbuf_addc(&out->job, '.');
        if (second) add_safe(&out->job, second);
    }
}

void launched_release(struct launched *launched) { strbuf_release(&launched->job); }

int launched_folder(const struct launched *launched, const char *root, const char *name, struct strbuf *folder,
                    struct err *err) {
    struct slice job = strbuf_slice(&launched->job);
    strbuf_addf(folder, "%s/%s_%.*s", root, name ? name : "run", SLICE_FMT(job));
    if (make_folders(strbuf_text(folder), err) != 0) return -1;
    strbuf_addf(folder, "/rank.%llu", (unsigned long long)launched->rank);
    if (mkdir(strbuf_text(folder), 0777) == 0) return 0;
    if (errno == EEXIST)
        return err_set(err, ERR_OUTPUT, "%s already exists: another run has the same name and job; give each its own --name",
                       strbuf_text(folder));
    return err_set_errno(err, ERR_OUTPUT, "cannot create folder '%s'", strbuf_text(folder));
}

bool launched_share_name(const char *folder, const char *name) {
    struct rank_folders ranks;
    struct strbuf path = {0};
    bool all = true;
    rank_folders_find(&ranks, folder);
    for (size_t i = 0; i < ranks.numbers.len && all; i++) {
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/rank.%llu/%s_profile.log", folder, (unsigned long long)ranks.numbers.items[i], name);
        all = access(strbuf_text(&path), F_OK) == 0;
    }
    strbuf_release(&path);
    rank_folders_release(&ranks);
    return all;
}

static void write_done(const struct launched *launched, const char *folder, int status) {
    struct strbuf text = {0}, path = {0};
    struct json j = {.out = &text};
    char host[256] = "";
    if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
    json_object(&j);
    json_member_u64(&j, "rank_index", launched->rank);
    json_member_u64(&j, "ranks", launched->size);
    json_member_text(&j, "host", host);
    json_member_i64(&j, "status", status);
    json_object_end(&j);
    strbuf_addc(&text, '\n');
    strbuf_addf(&path, "%s/rank.json", folder);
    outfile_put(strbuf_text(&path), strbuf_slice(&text), NULL); /* appears complete, because the others look for it */
    strbuf_release(&text);
    strbuf_release(&path);
}

/* Every process looks after it has noted its own end, so that the last one sees all; of several that do, one takes the
 * claim. */
bool launched_done(const struct launched *launched, const char *folder, int status) {
    struct strbuf path = {0};
    if (!launched->several) return true;
    write_done(launched, folder, status);
    bool all = launched->size > 0;
    for (uint64_t i = 0; all && i < launched->size; i++) {
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/../rank.%llu/rank.json", folder, (unsigned long long)i);
        all = access(strbuf_text(&path), F_OK) == 0;
    }
    if (all) {
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/../.report", folder);
        int claim = open(strbuf_text(&path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        all = claim >= 0;
        if (claim >= 0) close(claim);
    }
    strbuf_release(&path);
    return all;
}
