#define E(x) int x x;
#define F E(a) E(b) E(c) E(d)
#define G F F F F F F F F
#define H G G G G G G G G
H H H H
