#include "work/load.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "model/foreign.h"
#include "store/names.h"
#include "work/load_host.h"
#include "work/load_inspector.h"

int load_try(const char *path, struct err *err) {
    struct stat st;
    /* a pipe can be opened only once */
    if (strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))) return 0;
    struct source source;
    if (load_is_inspector(path)) return 0;
    if (source_open(&source, path, err) != 0) return -1;
    source_release(&source);
    return 0;
}

int load_log(struct loaded *loaded, const struct work *work, const char *path, const char *spool_folder, struct err *err) {
    *loaded = (struct loaded){.source = {.fd = -1}};
    int64_t started = clock_ns();
    if (load_is_inspector(path)) {
        report_name(&loaded->name, path);
        int rc = load_inspector(loaded, work, path, err);
        loaded->read_ns = clock_ns() - started;
        if (rc != 0) loaded_release(loaded);
        return rc;
    }
    if (source_open(&loaded->source, path, err) != 0) return -1;
    report_name(&loaded->name, path);
    struct progress own, *progress = work_begin(work, &own, "reading", loaded->source.mapped ? loaded->source.bytes.len : 0);
    struct slice head;
    int rc = source_peek(&loaded->source, &head, err);
    const struct foreign_format *foreign = rc == 0 ? foreign_find(head) : NULL;
    /* what other tools wrote is read from memory, also where a log would be read as it comes */
    if (rc == 0 && (spool_folder || foreign))
        rc = source_spool(&loaded->source, spool_folder ? spool_folder : work_temporary_folder(), err);
    if (rc == 0)
        rc = foreign ? foreign->read(&loaded->run, loaded->source.bytes, path, err)
                     : run_read(&loaded->run, &loaded->source, progress, err);
    progress_end(progress);
    loaded->read_ns = clock_ns() - started;
    if (rc != 0) {
        loaded_release(loaded);
        return -1;
    }
    if (!foreign) load_host(loaded, work);
    if (loaded->source.cut) work_note(work, "%s is cut or damaged: everything before that place was read", path);
    return 0;
}

int load_last_run(struct loaded *loaded, const struct work *work, const char *path, const char *spool_folder,
                  const char *marker, struct err *err) {
    if (load_log(loaded, work, path, spool_folder, err) != 0) return -1;
    struct last_run last;
    int rc = last_run_find(&last, &loaded->run, loaded->source.bytes, marker, err);
    if (rc == 0) {
        run_release(&loaded->run);
        loaded->run = (struct run){0};
        run_read_parts(&loaded->run, loaded->source.bytes, last.parts.items, last.parts.len);
    } else {
        loaded_release(loaded);
    }
    last_run_release(&last);
    return rc;
}

void loaded_release(struct loaded *loaded) {
    run_release(&loaded->run);
    source_release(&loaded->source);
    strbuf_release(&loaded->name);
}

int no_run_in(const char *path, struct err *err) {
    return err_set(err, ERR_LACKS,
                   "%s holds no operation, memory or module lines of a TT-XLA run; build with TT_RUNTIME_DEBUG=ON (the debug "
                   "preset) and run "
                   "with TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG TT_RUNTIME_MEMORY_LOG_LEVEL=all TTXLA_LOGGER_LEVEL=DEBUG",
                   path);
}

int load_check(const struct loaded *loaded, struct err *err) {
    const struct run *run = &loaded->run;
    if (run->steps.len || run->failures.entries.len || run->modules.len || run->executions.len) return 0;
    if (!run->bytes && loaded->source.cut)
        return err_set(err, ERR_INPUT, "%s is cut or damaged: nothing of it can be read", loaded->source.path);
    if (!run->bytes) return err_set(err, ERR_LACKS, "%s is empty", loaded->source.path);
    return no_run_in(loaded->source.path, err);
}

int load_record(const struct loaded *loaded, const char *text, uint32_t *record, struct err *err) {
    const char *digits = text[0] == '#' ? text + 1 : text;
    uint64_t number;
    if (!digits[0] || num_read_u64(slice_from(digits), &number) != strlen(digits))
        return err_set(err, ERR_USAGE, "%.100s is not the number of an op", text);
    if (!loaded->run.records.len) return err_set(err, ERR_LACKS, "%s has no ops", loaded->source.path);
    if (number >= loaded->run.records.len)
        return err_set(err, ERR_USAGE, "%s has ops 0 to %zu, none of number %llu", loaded->source.path,
                       loaded->run.records.len - 1, (unsigned long long)number);
    *record = (uint32_t)number;
    return 0;
}
