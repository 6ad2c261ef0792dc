template <typename T> requires std::integral<T> && (sizeof(T) > 1)
T f(T x) { return x; }
template <typename T>
    requires requires (T t) { t.size(); { t + t } -> std::same_as<T>; }
T g(T x) requires (sizeof(T) > 2) { return x; }
template <typename T> concept Sized = requires(T t) { t.size(); };
void h(Sized auto x) { }
