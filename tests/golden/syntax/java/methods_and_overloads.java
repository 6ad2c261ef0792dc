package a;

import java.util.*;

public class Account {
    private int x = compute(3);
    /** Javadoc is no part. */
    @Override
    @SuppressWarnings({"a", "b"})
    public synchronized <T extends Comparable<? super T>> Map<String, List<T>> f(final T a, Map<K, V> b, int... c) throws A, B {
        return null;
    }
    int f(int a[]) { return 1; }
    int[] g()[] { if (true) { } return null; }
    abstract void none(int x);
    native int h();
    Account() { this(1); } // trailing
    public <T> Account(T a) { super(); }
}
