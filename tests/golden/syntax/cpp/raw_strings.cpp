const char *f() {
    return R"x(
int not_a_function() { )" // not the end
)x" u8R"(})";
}
int g() { return 1'000'000; }
