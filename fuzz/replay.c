/* SPDX-License-Identifier: Apache-2.0 */
/* A fuzz target without a fuzzer: runs it once on every file of the folders and files given, for valgrind and for compilers
 * that have no libFuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room); /* what mutators of targets call; nothing is mutated here */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room) {
    (void)data;
    (void)room;
    return size;
}

static unsigned replayed;

static void replay_file(const char *path) {
    enum { MOST = 1 << 24 };
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(MOST);
    size_t size = file && bytes ? fread(bytes, 1, MOST, file) : 0;
    uint8_t *exact = malloc(size ? size : 1); /* so that a read past the end is seen */
    if (exact && file) {
        for (size_t i = 0; i < size; i++) exact[i] = bytes[i];
        LLVMFuzzerTestOneInput(exact, size);
        replayed++;
    }
    free(exact);
    free(bytes);
    if (file) fclose(file);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        DIR *dir = opendir(argv[i]);
        if (!dir) replay_file(argv[i]);
        for (struct dirent *entry; dir && (entry = readdir(dir));) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            if (entry->d_type != DT_DIR) replay_file(path);
        }
        if (dir) closedir(dir);
    }
    fprintf(stderr, "%u inputs\n", replayed);
    return 0;
}
