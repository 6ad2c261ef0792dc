namespace @said@_of {
template <int N> struct rank : rank<N - 1> {};
template <> struct rank<0> {};
template <class T> std::string named() { return __PRETTY_FUNCTION__; }
template <class T> bool is_std() { return named<T>().find("T = std::") != std::string::npos; }
struct Parts {
    char open;
    std::vector<std::string> parts;
    std::string text() const {
        std::string made = std::string("[\"") + open + "\",[";
        for (std::size_t i = 0; i < parts.size(); ++i) made += (i ? "," : "") + parts[i];
        return made + "]]";
    }
};
inline std::string chars(const char *text, std::size_t size) {
    static const char hex[] = "0123456789abcdef";
    std::string made = "[\"s\",\"";
    if (!@said@_is_text(reinterpret_cast<const unsigned char *>(text), size)) {
        made = "[\"y\",\"";
        for (std::size_t i = 0; i < size; ++i) {
            made += hex[static_cast<unsigned char>(text[i]) >> 4];
            made += hex[static_cast<unsigned char>(text[i]) & 15];
        }
        return made + "\"]";
    }
    for (std::size_t i = 0; i < size; ++i) {
        const unsigned char code = static_cast<unsigned char>(text[i]);
        if (code == '"' || code == '\\') made += '\\';
        if (code < 32) made += std::string("\\u00") + hex[code >> 4] + hex[code & 15];
        else made += text[i];
    }
    return made + "\"]";
}
template <class T> std::string freeze(const T &value);
template <class T> typename std::enable_if<std::is_same<T, bool>::value, std::string>::type as(const T &value, rank<9>) {
    return value ? "[\"b\",true]" : "[\"b\",false]";
}
template <class T> typename std::enable_if<std::is_integral<T>::value, std::string>::type as(const T &value, rank<8>) {
    return "[\"i\",\"" + std::to_string(+value) + "\"]";
}
template <class T> typename std::enable_if<std::is_floating_point<T>::value, std::string>::type as(const T &value, rank<8>) {
    char text[64];
    for (int precision = 1; precision <= 17; ++precision) {
        __builtin_snprintf(text, sizeof text, "%.*g", precision, static_cast<double>(value));
        if (static_cast<T>(std::strtod(text, nullptr)) == value) break;
    }
    return std::string("[\"f\",\"") + text + "\"]";
}
template <class T> typename std::enable_if<std::is_enum<T>::value, std::string>::type as(const T &value, rank<8>) {
    return freeze(static_cast<typename std::underlying_type<T>::type>(value));
}
template <class T> typename std::enable_if<std::is_convertible<T, const char *>::value && !std::is_class<T>::value, std::string>::type as(const T &value, rank<8>) {
    const char *text = value;
    return text ? chars(text, __builtin_strlen(text)) : "[\"n\"]";
}
template <class T> typename std::enable_if<std::is_pointer<T>::value || std::is_same<T, std::nullptr_t>::value, std::string>::type as(const T &value, rank<7>) {
    return value == nullptr ? "[\"n\"]" : "[\"o\",\"pointer\"]";
}
template <class T> std::string pieces(const T &value, char) { return chars(std::string(value.begin(), value.end()).data(), value.size()); }
template <class T, class V> std::string pieces(const T &value, V) {
    Parts made = {'l', std::vector<std::string>()};
    for (auto it = value.begin(); it != value.end(); ++it) made.parts.push_back(freeze<typename T::value_type>(*it));
    return made.text();
}
template <class T> auto as(const T &value, rank<6>) -> decltype(typename T::hasher(), value.begin(), std::string()) {
    Parts made = {'l', std::vector<std::string>()};
    for (auto it = value.begin(); it != value.end(); ++it) made.parts.push_back(freeze<typename T::value_type>(*it));
    std::sort(made.parts.begin(), made.parts.end());
    return is_std<T>() ? made.text() : "[\"o\",\"object\"]";
}
struct other {};
template <class V> struct kind { typedef typename std::conditional<std::is_same<V, char>::value, char, other>::type type; };
template <class T> auto as(const T &value, rank<5>) -> decltype(value.begin() != value.end(), value.size(), typename T::value_type(*value.begin()), std::string()) {
    return is_std<T>() ? pieces(value, typename kind<typename T::value_type>::type()) : "[\"o\",\"object\"]";
}
template <class T> auto as(const T &value, rank<4>) -> decltype(value.has_value(), *value, std::string()) {
    return !is_std<T>() ? "[\"o\",\"object\"]" : value.has_value() ? freeze(*value) : "[\"n\"]";
}
template <class T> auto as(const T &value, rank<3>) -> decltype(value.first, value.second, std::string()) {
    Parts made = {'l', std::vector<std::string>()};
    made.parts.push_back(freeze(value.first));
    made.parts.push_back(freeze(value.second));
    return is_std<T>() ? made.text() : "[\"o\",\"object\"]";
}
template <class T> std::string as(const T &, rank<0>) { return "[\"o\",\"object\"]"; }
template <class T> std::string freeze(const T &value) { return as(value, rank<9>()); }
}  // namespace @said@_of
template <class T> void @said@(const char *number, const T &value) {
    const std::string text = @said@_of::freeze(value);
    @said@_begin(number);
    for (char c : text) @said@_put(c);
    @said@_done();
}
inline void @said@_end(const std::string &name) { @said@_end(name.c_str()); }
