class EXPORT Foo final : public Bar<int(int)>, private ns::Baz {
    Q_OBJECT
  public slots:
    void slot() { }
  private:
    enum class E : int { A, B };
    union { int a; float b; };
    struct Inner { int get() const { return 1; } };
    static constexpr int k[] = {1, 2};
    int bits : 3;
    friend class Other;
};
struct alignas(16) __attribute__((packed)) P { int f() { return 1; } };
struct ns::Out { int f() { return 1; } };
typedef struct { int f() { return 1; } } Unnamed;
struct P *make(struct P *p) { return p; }
template <> struct Hash<int> { int f() { return 1; } };
