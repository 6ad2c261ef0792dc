struct V {
    V operator+(const V &o) const { return o; }
    bool operator<(const V &o) const { return true; }
    V &operator=(V &&o) { return *this; }
    int operator()(int a, int b) { return a; }
    int &operator[](int i) { return x[i]; }
    V *operator->() { return this; }
    operator bool() const { return true; }
    explicit operator std::vector<int>() { return {}; }
    operator const char *() { return ""; }
    void *operator new[](size_t n) { return 0; }
    V &operator,(V &o) { return o; }
    friend bool operator==(const V &a, const V &b) { return true; }
    auto operator<=>(const V &) const = default;
};
std::ostream &operator<<(std::ostream &o, const V &v) { return o; }
long double operator""_km(long double x) { return x; }
ns::V ns::V::operator-() { return *this; }
