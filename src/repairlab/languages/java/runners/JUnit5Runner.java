import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.util.List;
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

/** Runs JUnit 5 tests named `Class::method`, one request each; a parameterised test passes when all its runs do. */
public final class JUnit5Runner {
    private JUnit5Runner() {}

    public static void main(String[] arguments) throws Exception {
        ReportChannel channel = ReportChannel.open();
        run(channel);
        channel.leave();
    }

    private static void run(ReportChannel channel) {
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
        for (String test : channel.tests) {
            channel.start(test);
            Result result = run(test, channel, launcher);
            channel.end(test, result.status, result.message);
            if (channel.stop && !result.status.equals("passed")) {
                break;
            }
        }
        channel.done();
    }

    private static Result run(String test, ReportChannel channel, Launcher launcher) {
        String[] parts = test.split("::", 2);
        String name = parts.length == 2 ? parts[1] : "";
        List<DiscoverySelector> selectors;
        try {
            Class<?> type = Class.forName(parts[0], false, JUnit5Runner.class.getClassLoader());
            selectors = ReflectionSupport
                .findMethods(type, method -> method.getName().equals(name), HierarchyTraversalMode.TOP_DOWN)
                .stream().map(method -> selectMethod(type, method)).collect(Collectors.toList());
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
            Throwable error = result.getThrowable().orElse(null);
            String text = error == null ? "" : ReportChannel.describe(error);
            if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
                note("skipped", text);
            } else if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                note(error == null ? "error" : ReportChannel.statusOf(error), text);
            }
        }
    }
}
