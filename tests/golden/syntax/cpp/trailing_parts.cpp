auto f(int a) -> decltype(a + 1) { return a; }
decltype(auto) g() { return 1; }
void h() throw(std::exception) { }
[[nodiscard]] constexpr int k() noexcept(noexcept(g())) { return 1; }
auto l() -> std::pair<int, int> { return {1, 2}; }
struct Deduced { Deduced(int); };
Deduced(int) -> Deduced;
