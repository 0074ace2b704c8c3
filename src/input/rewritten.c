/* SPDX-License-Identifier: Apache-2.0 */
#include "input/rewritten.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "input/input.h"

int source_rewrite(struct source *source, int (*write)(int fd, void *who, struct err *err), void *who, struct err *err) {
    struct strbuf path = {0};
    struct source made;
    strbuf_addf(&path, "%s/.ttmem-rewritten-XXXXXX", input_temporary_folder());
    strbuf_text(&path);
    int fd = mkostemp(path.data, O_CLOEXEC);
    int rc = fd < 0 ? err_set_errno(err, ERR_OUTPUT, "cannot write to '%s'", input_temporary_folder()) : write(fd, who, err);
    if (rc == 0) rc = source_open(&made, strbuf_text(&path), err);
    if (fd >= 0) {
        unlink(strbuf_text(&path));
        close(fd);
    }
    strbuf_release(&path);
    if (rc != 0) return -1;
    free(made.path);
    made.path = mem_strdup(source->path);
    made.device = source->device; /* the temporary's own number is free again, and may become that of the next one */
    made.inode = source->inode;
    made.cut = source->cut;
    made.broken_tags = source->broken_tags;
    made.spooled = true;
    source_release(source);
    *source = made;
    return 0;
}
