int add(int a, int b)
{
    return 0;
}

const char *name(int a)
{
    return "";
}
