/* SPDX-License-Identifier: Apache-2.0 */
/* For ./dev coverage alone, linked with --wrap=_exit: a process that ends by a signal handler leaves its counts too. */
void __gcov_dump(void);
void __real__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) __attribute__((noreturn));

void __wrap__exit(int status) {
    __gcov_dump();
    __real__exit(status);
}
