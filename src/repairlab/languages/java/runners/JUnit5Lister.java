import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import org.junit.jupiter.engine.JupiterTestEngine;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Names every test of JUnit 5 classes as `Class::method`, without running any; the request has classes for tests. */
public final class JUnit5Lister {
    private JUnit5Lister() {}

    public static void main(String[] arguments) throws Exception {
        ReportChannel channel = ReportChannel.open();
        LauncherConfig config = LauncherConfig.builder()
            .enableTestEngineAutoRegistration(false)
            .enableTestExecutionListenerAutoRegistration(false)
            .enableLauncherSessionListenerAutoRegistration(false)
            .enablePostDiscoveryFilterAutoRegistration(false)
            .addTestEngines(new JupiterTestEngine())
            .build();
        Launcher launcher = LauncherFactory.create(config);
        for (String name : channel.tests) {
            try {
                Class<?> type = Class.forName(name, false, JUnit5Lister.class.getClassLoader());
                list(launcher.discover(LauncherDiscoveryRequestBuilder.request().selectors(selectClass(type)).build()), channel);
            } catch (ClassNotFoundException | LinkageError | RuntimeException error) {
                channel.error(name + ": " + ReportChannel.describe(error));
            }
        }
        channel.done();
        channel.leave();
    }

    private static void list(TestPlan plan, ReportChannel channel) {
        for (TestIdentifier root : plan.getRoots()) {
            for (TestIdentifier found : plan.getDescendants(root)) {
                // A parameterised test is a container that comes from a method; its runs are not known yet.
                found.getSource().filter(MethodSource.class::isInstance).map(MethodSource.class::cast)
                    .ifPresent(method -> channel.start(method.getClassName() + "::" + method.getMethodName()));
            }
        }
    }
}
