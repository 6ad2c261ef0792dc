@Test(timeout = 1)
public final int add(int a, int b)
{
    char c = '}';
    String s = "{" + """
        } text block " {
        """;
    return a + b; // }
}
