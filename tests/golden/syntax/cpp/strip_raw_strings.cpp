auto s = R"a(// no /* no */ )" // no)a"; // yes
auto t = u8R"(
// text
)"; /* yes */
int n = 1'000; // '
char c = '/';
