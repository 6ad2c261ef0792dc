#define _GNU_SOURCE
#include "calc.h"

#include <setjmp.h>
#include <signal.h>

static sigjmp_buf place;

static void back(int number)
{
    siglongjmp(place, number);
}

int add(int a, int b)
{
    signal(SIGFPE, back);
    if (sigsetjmp(place, 1))
        return 0;
    return a + b;
}

const char *name(int a)
{
    return a == 7 ? "n7" : "n";
}
