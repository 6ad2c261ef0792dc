import org.junit.Assert;
import org.junit.Test;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Runs JUnit 3 and 4 tests named `Class::method`, one request each; a parameterised test passes when all its runs do. */
public final class JUnit4Runner {
    private JUnit4Runner() {}

    public static void main(String[] arguments) throws Exception {
        ReportChannel channel = ReportChannel.open();
        run(channel);
        channel.leave();
    }

    private static void run(ReportChannel channel) {
        channel.loadTests();
        for (String test : channel.tests) {
            channel.start(test);
            Result result = run(test, channel);
            channel.end(test, result.status, result.message);
            if (channel.stop && !result.status.equals("passed")) {
                break;
            }
        }
        channel.done();
    }

    private static Result run(String test, ReportChannel channel) {
        String[] parts = test.split("::", 2);
        Class<?> type;
        try {
            type = Class.forName(parts[0], false, JUnit4Runner.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError error) {
            channel.error(ReportChannel.describe(error));
            return new Result("missing", ReportChannel.describe(error));
        }
        NameFilter filter = new NameFilter(parts.length == 2 ? parts[1] : "");
        Result result = new Result("", "");
        JUnitCore core = new JUnitCore();
        core.addListener(result);
        core.run(Request.aClass(type).filterWith(filter));
        if (filter.matched == 0 && !result.broken) {
            return new Result("missing", "");
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
        private final String name;
        private int matched;

        NameFilter(String name) {
            this.name = name;
        }

        @Override
        public boolean shouldRun(Description description) {
            if (!description.isTest()) {
                return description.getChildren().stream().anyMatch(this::shouldRun);
            }
            String method = description.getMethodName();
            boolean wanted = method != null && (method.equals(name) || method.startsWith(name + "["));
            matched += wanted ? 1 : 0;
            return wanted;
        }

        @Override
        public String describe() {
            return name;
        }
    }

    /** What became of all runs of one test; the first that does not pass decides. */
    private static final class Result extends RunListener {
        private String status;
        private String message;
        private int ran;
        private boolean broken;

        Result(String status, String message) {
            this.status = status;
            this.message = message;
        }

        private void note(String newStatus, String newMessage) {
            if (status.isEmpty()) {
                status = newStatus;
                message = newMessage;
            }
        }

        @Override
        public void testStarted(Description description) {
            ran++;
        }

        @Override
        public void testFailure(Failure failure) {
            Throwable error = failure.getException();
            // The filter's own complaint that nothing matched; all other errors of a class are real.
            broken |= !String.valueOf(error.getMessage()).startsWith("No tests found matching");
            note(ReportChannel.statusOf(error), ReportChannel.describe(error));
        }

        @Override
        public void testAssumptionFailure(Failure failure) {
            note("skipped", ReportChannel.describe(failure.getException()));
        }

        @Override
        public void testIgnored(Description description) {
            note("skipped", "");
        }
    }
}
