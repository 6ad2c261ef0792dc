class A {
    { x = 1; }
    static class B<T> {
        interface C { default void d() { } }
        B() { }
    }
    sealed interface S permits T {}
    non-sealed class T implements S { void t() { switch (x) { case A -> { } default -> { } } } }
}
