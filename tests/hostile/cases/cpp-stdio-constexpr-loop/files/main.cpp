constexpr int f() { int i = 0; while (true) i ^= 1; return i; }
constexpr int x = f();
int main() { return x; }
