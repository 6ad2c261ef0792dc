import org.junit.runner.Description;
import org.junit.runner.Request;

/** Names every test of JUnit 3 and 4 classes as `Class::method`, without running any; the request has classes for tests. */
public final class JUnit4Lister {
    private JUnit4Lister() {}

    public static void main(String[] arguments) throws Exception {
        ReportChannel channel = ReportChannel.open();
        for (String name : channel.tests) {
            try {
                Class<?> type = Class.forName(name, false, JUnit4Lister.class.getClassLoader());
                list(Request.aClass(type).getRunner().getDescription(), type, channel);
            } catch (ClassNotFoundException | LinkageError | RuntimeException error) {
                channel.error(name + ": " + ReportChannel.describe(error));
            }
        }
        channel.done();
        channel.leave();
    }

    private static void list(Description description, Class<?> place, ReportChannel channel) {
        for (Description child : description.getChildren()) {
            list(child, place, channel);
        }
        String method = description.getMethodName();
        // Classes without tests, or that cannot be made, have a stand-in of JUnit's own for a test.
        boolean real = method != null && !method.equals("initializationError") && !description.getClassName().startsWith("junit.");
        if (description.isTest() && real) {
            channel.start(SuiteTests.fullName(description, place).replaceFirst("\\[.*", ""));
        }
    }
}
