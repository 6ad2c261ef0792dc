#include <cxxabi.h>
namespace @said@_of {
inline void classes(const std::type_info *kind, Parts &made) {
    int status = 0;
    char *known = abi::__cxa_demangle(kind->name(), nullptr, nullptr, &status);
    std::string name = known ? known : kind->name();
    std::free(known);
    for (std::size_t at = 0; at != std::string::npos; at = name.find("::", at), at = at == std::string::npos ? at : at + 2)
        made.parts.push_back(chars(name.c_str() + at, name.size() - at));
    if (const auto *one = dynamic_cast<const abi::__si_class_type_info *>(kind)) classes(one->__base_type, made);
    else if (const auto *many = dynamic_cast<const abi::__vmi_class_type_info *>(kind))
        for (unsigned i = 0; i < many->__base_count; ++i) classes(many->__base_info[i].__base_type, made);
}
}  // namespace @said@_of
inline void @said@_raised(const char *number, bool is_raised) {
    @said@_of::Parts made = {'l', std::vector<std::string>()};
    if (is_raised && abi::__cxa_current_exception_type()) @said@_of::classes(abi::__cxa_current_exception_type(), made);
    const std::string text = is_raised ? made.text() : "[\"n\"]";
    @said@_begin(number);
    for (char c : text) @said@_put(c);
    @said@_done();
}
