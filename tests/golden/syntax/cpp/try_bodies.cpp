int f() try {
    return 1;
} catch (const A &a) {
    return 2;
} catch (...) {
    return 3;
}
struct B {
    B(int x) try : y(x), z{x} { }
    catch (...) { }
};
int g() { try { } catch (...) { } return 0; }
