class A {
    String s = "// no /* no */"; // yes
    char c = '"'; /* yes */ char d = '\'';
    String t = """
        // text
        /* block */ \""" still
        """; // gone
    int n = 4/2;
}
