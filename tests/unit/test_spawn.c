/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that are started: what a signal does that comes before they are there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "capture/spawn.h"

static volatile sig_atomic_t tidied;
static void tidy(int number) {
    tidied = number;
    _exit(99);
}

static int end_of(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0) continue;
    return status;
}

static void a_signal_before_the_program_is_told_as_missed(void **state) {
    (void)state;
    sigset_t taken, before, missed;
    struct err err = {0};
    char *argv[] = {"true", NULL};
    int output = open("/dev/null", O_WRONLY);
    sigemptyset(&taken);
    sigaddset(&taken, SIGINT);
    sigprocmask(SIG_BLOCK, &taken, &before);
    pid_t child = spawn_program(argv, NULL, output, &before, &missed, &err);
    assert_int_equal(end_of(child), 0);
    assert_false(sigismember(&missed, SIGINT));
    raise(SIGINT);
    child = spawn_program(argv, NULL, output, &before, &missed, &err);
    assert_int_equal(end_of(child), 0);
    assert_true(sigismember(&missed, SIGINT));
    assert_false(sigismember(&missed, SIGTERM));
    struct timespec now = {0};
    assert_int_equal(sigtimedwait(&taken, NULL, &now), SIGINT);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(output);
}

/* What handles signals here is not run in the process that becomes the program; what is ignored stays so. */
static void handlers_are_not_handed_on(void **state) {
    (void)state;
    sigset_t mask, missed;
    struct err err = {0};
    char *ends[] = {"sh", "-c", "kill -TERM $$; exit 7", NULL}, *ignores[] = {"sh", "-c", "kill -HUP $$; exit 7", NULL};
    int output = open("/dev/null", O_WRONLY);
    sigemptyset(&mask);
    signal(SIGTERM, tidy);
    signal(SIGHUP, SIG_IGN);
    int status = end_of(spawn_program(ends, NULL, output, &mask, &missed, &err));
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    status = end_of(spawn_program(ignores, NULL, output, &mask, &missed, &err));
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    assert_int_equal(tidied, 0);
    close(output);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signal_before_the_program_is_told_as_missed),
        cmocka_unit_test(handlers_are_not_handed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
