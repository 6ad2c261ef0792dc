package java_testcases.junit;

public class @PROGRAM@_TEST {
    @SuppressWarnings("unchecked")
    private static <T> java.util.ArrayList<T> list(Object... items) {
        return new java.util.ArrayList<T>((java.util.List<T>) java.util.Arrays.asList(items));
    }

    private static void same(Object expected, Object found) {
        if (expected instanceof Double && found instanceof Number) {
            org.junit.Assert.assertEquals((Double) expected, ((Number) found).doubleValue(), 1e-6);
        } else {
            org.junit.Assert.assertEquals(text(expected), text(found));
        }
    }

    private static String text(Object value) {
        java.util.StringJoiner made = new java.util.StringJoiner(", ", "[", "]");
        if (value instanceof Iterable) {
            ((Iterable<?>) value).forEach(item -> made.add(text(item)));
        } else if (value != null && value.getClass().isArray()) {
            for (int i = 0; i < java.lang.reflect.Array.getLength(value); i++) {
                made.add(text(java.lang.reflect.Array.get(value, i)));
            }
        } else {
            String told = String.valueOf(value);
            return value instanceof String ? told : told.replace('(', '[').replace(')', ']');  // pairs print as (1, 2)
        }
        return made.toString();
    }
@CASES@}
