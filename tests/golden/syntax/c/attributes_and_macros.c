static inline __attribute__((always_inline)) int f(int x) { return x; }
EXPORT_API(int) foo(int a, char *b) { return a; }
API(x) declared(int a);
DEFINE_TEST(x) {
    assert(1);
}
TEST(Suite, Name)
{
}
__declspec(dllexport) void WINAPI g(void) { }
int __attribute__((noinline)) h(int x) __asm__("h2") NONNULL(1) { return x; }
[[nodiscard]] int k(void) { return 0; }
void (parenthesised)(int x) { }
