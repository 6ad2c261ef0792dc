/* größe */
int f(void) {
    return L'é' + *"😀";
}
int g(void) { return 1; }
