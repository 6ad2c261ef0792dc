int f() {
    auto add = [&](int a, int b) { return a + b; };
    struct Less : A, B<int> {
        bool operator()(int a) const { return a; }
    } less;
    class Other { void m() { } };
    struct tm *t = localtime();
    return add(1, 2);
}
auto global = [](int x) { return x; };
int x{5}, y{6};
std::vector<int> v = {1, 2};
int g() { return 1; }
