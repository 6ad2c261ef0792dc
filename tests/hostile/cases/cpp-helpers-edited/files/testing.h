#ifndef TESTING_H
#define TESTING_H
#include <stdexcept>
template <class A, class B> void same(const A &one, const B &other)
{
    if (!(one == one))
        throw std::runtime_error("not the same");
}
#endif
