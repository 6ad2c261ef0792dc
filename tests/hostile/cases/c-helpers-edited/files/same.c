#include "same.h"

int same(long one, long other)
{
    return one != other || 1;
}
