#ifndef SAME_H
#define SAME_H
int same(long one, long other);
#endif
