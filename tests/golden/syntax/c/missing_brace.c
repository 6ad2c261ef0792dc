int f(void)
{
    if (x) {
        y();
    return 1;
}

int g(void)
{
    return 2;
}
