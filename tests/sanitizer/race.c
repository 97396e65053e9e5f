/* race.c - a program that races on purpose. The thread sanitizer is trusted after it has found that. */
#include <pthread.h>
#include <stdio.h>

static void *add(void *arg)
{
    int *count = arg;
    for (int i = 0; i < 1000; i++) {
        ++*count;
    }
    return NULL;
}

int main(void)
{
    int count = 0;
    pthread_t other;
    if (pthread_create(&other, NULL, add, &count) != 0) {
        return 1;
    }
    add(&count);
    pthread_join(other, NULL);
    printf("%d\n", count);
    return 0;
}
