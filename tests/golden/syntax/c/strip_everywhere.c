/* head */
#include <http://x/*y>
#include "a//b" // gone
int/**/x; // a \
   still comment
int y /* b */ = 1;
char *s = "/* no */ // no", c = '"'; // yes
int d = a/ *p;
