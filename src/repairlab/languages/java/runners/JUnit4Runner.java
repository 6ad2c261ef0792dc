import java.util.List;
import org.junit.Assert;
import org.junit.Test;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.manipulation.NoTestsRemainException;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/**
 * Runs JUnit 3 and 4 tests named `Class::method`, one request each, or one for all of a class that has a set-up of its own; a
 * parameterised test passes when all its runs do.
 */
public final class JUnit4Runner {
    private JUnit4Runner() {}

    public static void main(String[] arguments) throws Exception {
        ReportChannel channel = ReportChannel.open();
        run(channel);
        channel.leave();
    }

    private static void run(ReportChannel channel) throws ClassNotFoundException {
        channel.loadTests();
        for (List<String> tests : channel.together(ClassRun::hasSetUp)) {
            if (!run(tests, channel) && channel.stop) {
                break;
            }
        }
        channel.done();
    }

    private static boolean run(List<String> tests, ReportChannel channel) throws ClassNotFoundException {
        ClassRun whole = tests.size() > 1 ? ClassRun.of(tests, channel) : null;
        boolean passed = whole == null || whole.run();
        for (String test : tests) {
            if (channel.stop && !passed) {
                break;
            }
            if (whole == null || !whole.has(test)) {
                channel.start(test);
                Result result = run(test, channel);
                channel.end(test, result.status, result.message);
                passed &= result.status.equals("passed");
            }
        }
        return passed;
    }

    private static Result run(String test, ReportChannel channel) {
        String[] parts = test.split("::", 2);
        Class<?> type;
        try {
            type = Class.forName(parts[0], false, JUnit4Runner.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError error) {
            channel.error(ReportChannel.describe(error));
            return new Result("missing", ReportChannel.describe(error), null);
        }
        NameFilter filter = new NameFilter(type, parts.length == 2 ? parts[1] : "");
        Result result = new Result("", "", filter);
        JUnitCore core = new JUnitCore();
        core.addListener(result);
        try {
            core.run(SuiteTests.request(type, filter));
        } catch (NoTestsRemainException error) {
            return new Result("missing", "", filter);
        }
        if (result.status.isEmpty()) {
            result.status = result.ran > 0 ? "passed" : "missing";
        }
        return result;
    }

    /** Tests that fail, for a rehearsal: what they need of JUnit gets into the archive of classes. */
    public static final class Rehearsed {
        @Test
        public void failing0() {
            Assert.assertEquals(1, 2);
        }

        @Test
        public void failing1() {
            throw new IllegalStateException("rehearsal");
        }

        @Test
        public void failing2() {
            Assert.assertTrue(false);
        }

        @Test(expected = IllegalStateException.class)
        public void failing3() {}
    }

    private static final class NameFilter extends Filter {
        private final Class<?> type;
        private final String name;

        NameFilter(Class<?> type, String name) {
            this.type = type;
            this.name = name;
        }

        @Override
        public boolean shouldRun(Description description) {
            if (!description.isTest()) {
                return description.getChildren().stream().anyMatch(this::shouldRun);
            }
            return isNamed(description);
        }

        private boolean isNamed(Description description) {
            String found = SuiteTests.name(description, type);
            return found != null && (found.equals(name) || found.startsWith(name + "["));
        }

        @Override
        public String describe() {
            return name;
        }
    }

    /** What became of all runs of one test; the first that does not pass decides. Others that could not be filtered out do not count. */
    private static final class Result extends RunListener {
        private String status;
        private String message;
        private int ran;
        private final NameFilter filter;

        Result(String status, String message, NameFilter filter) {
            this.status = status;
            this.message = message;
            this.filter = filter;
        }

        private void note(Description description, String newStatus, String newMessage) {
            if (status.isEmpty() && counts(description)) {
                status = newStatus;
                message = newMessage;
            }
        }

        private boolean counts(Description description) {
            // What JUnit calls so stands for a class that cannot be made.
            return !description.isTest() || "initializationError".equals(description.getMethodName()) || filter.isNamed(description);
        }

        @Override
        public void testStarted(Description description) {
            ran += filter.isNamed(description) ? 1 : 0;
        }

        @Override
        public void testFailure(Failure failure) {
            Throwable error = failure.getException();
            // The filter's own complaint that nothing matched; all other errors of a class are real.
            if (!String.valueOf(error.getMessage()).startsWith("No tests found matching")) {
                note(failure.getDescription(), ReportChannel.statusOf(error), ReportChannel.describe(error));
            }
        }

        @Override
        public void testAssumptionFailure(Failure failure) {
            note(failure.getDescription(), "skipped", ReportChannel.describe(failure.getException()));
        }

        @Override
        public void testIgnored(Description description) {
            note(description, "skipped", "");
        }
    }
}
