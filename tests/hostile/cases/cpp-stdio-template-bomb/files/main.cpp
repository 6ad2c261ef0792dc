template <int N> struct A { static const long value = A<N + 1>::value + 1; };
int main() { return A<0>::value; }
