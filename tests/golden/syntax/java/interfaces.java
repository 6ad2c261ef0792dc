public interface Shape<T> extends A, B<T> {
    int N = 3;
    double area();
    default double twice() { return 2 * area(); }
    static int s() { return 1; }
    @interface Mark { String[] value() default {"a"}; int n() default 1; }
    class Inner { private void p() { } }
}
