/* threads_columns.c - two threads that fill tables of their own, whose columns grow over places that the other one
 * left.
 *
 * The thread sanitizer knows what each thread did at an address from mmap on. A column that mremap put there comes with
 * the history of another mapping; that was reported as a race, in hosts too.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/budget.h"
#include "base/columns.h"

enum { ROUNDS = 8, ROWS = 40000 };

/* One table of two columns, filled row by row as readers do it, from its first page to some megabytes. */
static void *fill_table(void *arg)
{
    pf_budget *budget = arg;
    pf_columns columns;
    uint64_t *a = NULL;
    uint32_t *b = NULL, room = 0;
    pf_error err;
    pf_columns_init(&columns, budget, "test");
    if (pf_columns_add(&columns, (void **)&a, sizeof *a, &err) != PF_OK ||
        pf_columns_add(&columns, (void **)&b, sizeof *b, &err) != PF_OK) {
        return (void *)"a column was refused";
    }
    for (uint32_t i = 0; i < ROWS; i++) {
        if (i == room && pf_columns_grow(&columns, i + 1u, &room, &err) != PF_OK) {
            return (void *)"a row was refused";
        }
        a[i] = i;
        b[i] = ~i;
    }
    void *wrong = NULL;
    for (uint32_t i = 0; i < ROWS; i++) {
        if (a[i] != i || b[i] != ~i) {
            wrong = (void *)"a row has changed";
        }
    }
    pf_columns_free(&columns);
    return wrong;
}

int main(void)
{
    pf_budget budget;
    pf_budget_init(&budget, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[2];
        for (int i = 0; i < 2; i++) {
            if (pthread_create(&threads[i], NULL, fill_table, &budget) != 0) {
                perror("pthread_create");
                return 1;
            }
        }
        for (int i = 0; i < 2; i++) {
            void *wrong;
            pthread_join(threads[i], &wrong);
            if (wrong) {
                fprintf(stderr, "%s\n", (const char *)wrong);
                return 1;
            }
        }
    }
    return 0;
}
