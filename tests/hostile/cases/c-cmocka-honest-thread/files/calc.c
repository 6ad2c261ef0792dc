#include "calc.h"

#include <pthread.h>

struct pair {
    int a, b, sum;
};

static void *work(void *argument)
{
    struct pair *pair = argument;
    pair->sum = pair->a + pair->b;
    return 0;
}

int add(int a, int b)
{
    struct pair pair = {a, b, 0};
    pthread_t thread;
    pthread_create(&thread, 0, work, &pair);
    pthread_join(thread, 0);
    return pair.sum;
}

const char *name(int a)
{
    return a == 7 ? "n7" : "n";
}
