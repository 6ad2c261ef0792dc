import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.engine.JupiterTestEngine;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs JUnit 5 tests named `Class::method`, one request each, or one for all of a class that has a set-up of its own; a
 * parameterised test passes when all its runs do.
 */
public final class JUnit5Runner {
    private JUnit5Runner() {}

    public static void main(String[] arguments) throws Exception {
        ReportChannel channel = ReportChannel.open();
        run(channel);
        channel.leave();
    }

    private static void run(ReportChannel channel) throws ClassNotFoundException {
        // Nothing is registered by name: code under test could otherwise bring its own engine or listener.
        LauncherConfig config = LauncherConfig.builder()
            .enableTestEngineAutoRegistration(false)
            .enableTestExecutionListenerAutoRegistration(false)
            .enableLauncherSessionListenerAutoRegistration(false)
            .enablePostDiscoveryFilterAutoRegistration(false)
            .addTestEngines(new JupiterTestEngine())
            .build();
        Launcher launcher = LauncherFactory.create(config);
        channel.loadTests();
        for (List<String> tests : channel.together(ClassRun5::hasSetUp)) {
            if (!run(tests, channel, launcher) && channel.stop) {
                break;
            }
        }
        channel.done();
    }

    private static boolean run(List<String> tests, ReportChannel channel, Launcher launcher) throws ClassNotFoundException {
        if (tests.size() > 1) {
            return ClassRun5.run(tests, launcher, channel);
        }
        channel.start(tests.get(0));
        Result result = run(tests.get(0), channel, launcher);
        channel.end(tests.get(0), result.status, result.message);
        return result.status.equals("passed");
    }

    private static Result run(String test, ReportChannel channel, Launcher launcher) {
        List<DiscoverySelector> selectors;
        try {
            selectors = selectors(List.of(test));
        } catch (ClassNotFoundException | LinkageError error) {
            channel.error(ReportChannel.describe(error));
            return new Result("missing", ReportChannel.describe(error));
        }
        if (selectors.isEmpty()) {
            return new Result("missing", "");
        }
        Result result = new Result("", "");
        launcher.execute(LauncherDiscoveryRequestBuilder.request().selectors(selectors).build(), result);
        if (result.status.isEmpty()) {
            result.status = result.ran > 0 ? "passed" : "missing";
        }
        return result;
    }

    /** Returns the methods of tests of one class, where there are any. */
    static List<DiscoverySelector> selectors(List<String> tests) throws ClassNotFoundException {
        Class<?> type = Class.forName(tests.get(0).split("::", 2)[0], false, JUnit5Runner.class.getClassLoader());
        Set<String> names = tests.stream().map(JUnit5Runner::method).collect(Collectors.toSet());
        return ReflectionSupport
            .findMethods(type, method -> names.contains(method.getName()), HierarchyTraversalMode.TOP_DOWN)
            .stream().map(method -> selectMethod(type, method)).collect(Collectors.toList());
    }

    static String method(String test) {
        String[] parts = test.split("::", 2);
        return parts.length == 2 ? parts[1] : "";
    }

    /** Returns how something ended; null where it went well. */
    static String statusOf(TestExecutionResult result) {
        switch (result.getStatus()) {
            case ABORTED:
                return "skipped";
            case FAILED:
                return result.getThrowable().map(ReportChannel::statusOf).orElse("error");
            default:
                return null;
        }
    }

    static String messageOf(TestExecutionResult result) {
        return result.getThrowable().map(ReportChannel::describe).orElse("");
    }

    /** Tests that fail, for a rehearsal: what they need of JUnit gets into the archive of classes. */
    public static final class Rehearsed {
        @Test
        void failing0() {
            Assertions.assertEquals(1, 2);
        }

        @Test
        void failing1() {
            throw new IllegalStateException("rehearsal");
        }

        @Test
        void failing2() {
            Assertions.assertTrue(false);
        }

        @Test
        void failing3() {
            Assertions.assertThrows(IllegalStateException.class, () -> {});
        }
    }

    /** What became of all runs of one test; the first that does not pass decides. */
    private static final class Result implements TestExecutionListener {
        private String status;
        private String message;
        private int ran;

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
        public void executionStarted(TestIdentifier identifier) {
            ran += identifier.isTest() ? 1 : 0;
        }

        @Override
        public void executionSkipped(TestIdentifier identifier, String reason) {
            note("skipped", reason);
        }

        @Override
        public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
            String ending = statusOf(result);
            if (ending != null) {
                note(ending, messageOf(result));
            }
        }
    }
}
