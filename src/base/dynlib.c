/* SPDX-License-Identifier: Apache-2.0 */
#include "base/dynlib.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

static int fill(struct dynlib *library, enum err_code code, struct err *err) {
    /* the library's names stay local, so they cannot clash with those of another one */
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    const char *reason = handle ? NULL : dlerror();
    for (size_t i = 0; handle && !reason && i < library->count; i++) {
        void *function = dlsym(handle, library->names[i]);
        if (!function) reason = dlerror();
        memcpy((char *)library->table + i * sizeof function, &function, sizeof function);
    }
    if (!reason) return 0;
    err_set(err, code, "%s needs the library %s, which is not installed or cannot be loaded (%s)", library->feature,
            library->file, reason);
    if (handle) dlclose(handle);
    return -1;
}

int dynlib_load(struct dynlib *library, enum err_code code, struct err *err) {
    pthread_mutex_lock(&loading);
    int rc = library->loaded ? 0 : fill(library, code, err);
    library->loaded = rc == 0;
    pthread_mutex_unlock(&loading);
    return rc;
}

int dynlib_left_out(const char *feature, const char *option, enum err_code code, struct err *err) {
    return err_set(err, code, "%s is not part of this build of ttmem (%s was OFF)", feature, option);
}
