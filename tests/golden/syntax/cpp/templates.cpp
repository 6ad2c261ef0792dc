template <typename T, int N = (1 > 0)>
inline T max(const T &a, std::map<int, T> b = {}) { return a; }
template <> void swap<int>(int &a, int &b) { }
template <class T> class Box : public Base<T, Less<int>> {
public:
    explicit Box(T v) : value(v), items{1, 2} { }
    template <class U> U get() const & noexcept(true) { return {}; }
private:
    T value;
    std::function<void(int)> cb = [](int x) { return x; };
};
template <class T>
template <class U>
U Box<T>::other(U u) { return u; }
