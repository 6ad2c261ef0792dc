import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collections;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestSuite;
import org.junit.Ignore;
import org.junit.internal.runners.JUnit38ClassRunner;
import org.junit.runner.Description;
import org.junit.runner.Request;
import org.junit.runner.RunWith;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.manipulation.NoTestsRemainException;

/** Tests that only the method `suite()` of a JUnit 3 class can make, such as those of inner classes: they are named after that class. */
final class SuiteTests {
    private SuiteTests() {}

    /** Returns the name that a test has below a class: its method, with its own class before it where that cannot be run by itself. */
    static String name(Description test, Class<?> place) {
        Class<?> own = test.getTestClass();
        String method = test.getMethodName();
        return method == null || canRun(own, place) ? method : own.getName().replaceFirst(".*\\.", "") + "." + method;
    }

    /** Returns the name of a test as `Class::method`, or as `Place::Class.method` where its class cannot be run by itself. */
    static String fullName(Description test, Class<?> place) {
        Class<?> own = test.getTestClass();
        return (canRun(own, place) ? test.getClassName() : place.getName()) + "::" + name(test, place);
    }

    /** Returns what runs the tests of a class that pass a filter. Of nested suites JUnit itself would run all tests or none. */
    static Request request(Class<?> type, Filter filter) throws NoTestsRemainException {
        TestSuite whole = suite(type);
        if (whole == null) {
            return Request.aClass(type).filterWith(filter);
        }
        TestSuite wanted = new TestSuite(type.getName());
        collect(whole, filter, wanted);
        return Request.runner(new JUnit38ClassRunner(wanted));
    }

    private static void collect(TestSuite suite, Filter filter, TestSuite wanted) throws NoTestsRemainException {
        for (Test test : Collections.list(suite.tests())) {
            if (test.getClass() == TestSuite.class) {
                collect((TestSuite) test, filter, wanted);
                continue;
            }
            JUnit38ClassRunner runner = new JUnit38ClassRunner(test);
            if (filter.shouldRun(runner.getDescription())) {
                runner.filter(filter);
                wanted.addTest(test);
            }
        }
    }

    /** Returns what `suite()` of a class makes, if JUnit goes by it. */
    private static TestSuite suite(Class<?> type) {
        if (type.isAnnotationPresent(RunWith.class) || type.isAnnotationPresent(Ignore.class)) {
            return null;
        }
        try {
            Method method = type.getMethod("suite");
            Object made = Modifier.isStatic(method.getModifiers()) ? method.invoke(null) : null;
            return made instanceof TestSuite ? (TestSuite) made : null;
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException | LinkageError error) {
            return null; // JUnit says what is wrong
        }
    }

    private static boolean canRun(Class<?> own, Class<?> place) {
        if (own == null || own == place || !TestCase.class.isAssignableFrom(own)) {
            return true;
        }
        try {
            TestSuite.getTestConstructor(own);
            return Modifier.isPublic(own.getModifiers());
        } catch (NoSuchMethodException error) {
            return false;
        }
    }
}
