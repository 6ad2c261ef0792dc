namespace a { namespace b {
int f() { return 1; }
} }
namespace c::d {
void g() { }
}
namespace {
void h() { }
}
inline namespace v1 { struct S { void m() { } }; }
namespace e = a::b;
using namespace a;
extern "C" {
int k(void) { return 0; }
}
extern "C" int l() { return 0; }
void ns::Foo::bar(int x) { }
ns::Type ns::Foo::baz() { return {}; }
