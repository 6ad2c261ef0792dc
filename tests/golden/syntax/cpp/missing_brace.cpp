namespace n {
int f() {
    for (;;) {
        x();
}

int g() {
    return 1;
}
}
