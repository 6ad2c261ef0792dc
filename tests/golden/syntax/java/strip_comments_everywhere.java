/* head
 * text */
class A { // one
    /** doc */
    int f(/* a */ int x, int/* b */y) { /* c */ return x/**/+/**/+y; /* d */ }
    // last
}
