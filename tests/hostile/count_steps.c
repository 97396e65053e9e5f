/* count_steps.c - counts the basic blocks that a program enters, and says the number on standard error at the end. The
 * compiler puts a call into each block (-fsanitize-coverage=trace-pc). Unlike a time, the number is the same on a busy
 * machine. What the C library does is not counted. */
#include <stdatomic.h>
#include <stdio.h>

void __sanitizer_cov_trace_pc(void);

static atomic_ulong steps;

void __sanitizer_cov_trace_pc(void)
{
    atomic_fetch_add_explicit(&steps, 1, memory_order_relaxed);
}

__attribute__((destructor)) static void say(void)
{
    fprintf(stderr, "\nsteps %lu\n", atomic_load(&steps));
}
