#ifndef GEO_H
#define GEO_H
#include <string>
struct Point {
    int x, y;
};
bool operator==(const Point &a, const Point &b);
bool operator!=(const Point &a, const Point &b);
Point parse(const std::string &text);
std::string show(const Point &point);
#endif
