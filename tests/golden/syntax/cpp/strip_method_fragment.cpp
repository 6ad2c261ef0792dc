int A::f(int a, // first
         int b) /* second */ {
  /* alone */
  return a; // third
}