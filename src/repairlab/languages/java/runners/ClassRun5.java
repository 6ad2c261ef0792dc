import static org.junit.platform.commons.support.AnnotationSupport.findAnnotatedFields;
import static org.junit.platform.commons.support.AnnotationSupport.findAnnotatedMethods;
import static org.junit.platform.commons.support.AnnotationSupport.isAnnotated;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.MethodOrdererContext;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;

/** Tests of a JUnit 5 class with a set-up of its own: it is made once for all of them, as they expect. */
final class ClassRun5 implements TestExecutionListener {
    private final Set<String> tests;
    private Turns turns;

    private ClassRun5(Set<String> tests) {
        this.tests = tests;
    }

    /** Returns whether a class has something to be done before or after all of its tests, or that lasts from one to the next. */
    static boolean hasSetUp(String name) {
        try {
            Class<?> type = Class.forName(name, false, ClassRun5.class.getClassLoader());
            return isAnnotated(type, TestInstance.class)
                || isAnnotated(type, ExtendWith.class)
                || !findAnnotatedFields(type, RegisterExtension.class).isEmpty()
                || Stream.of(BeforeAll.class, AfterAll.class)
                    .anyMatch(what -> !findAnnotatedMethods(type, what, HierarchyTraversalMode.TOP_DOWN).isEmpty());
        } catch (ClassNotFoundException | LinkageError error) {
            return false; // said when its turn comes
        }
    }

    /** Runs and reports tests, in the order of their names unless the class has one; returns whether all passed. */
    static boolean run(List<String> tests, Launcher launcher, ReportChannel channel) throws ClassNotFoundException {
        InOrder.names = tests.stream().map(JUnit5Runner::method).collect(Collectors.toList());
        TestPlan plan = launcher.discover(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(JUnit5Runner.selectors(tests))
                .configurationParameter(MethodOrderer.DEFAULT_ORDER_PROPERTY_NAME, InOrder.class.getName())
                .build());
        ClassRun5 run = new ClassRun5(Set.copyOf(tests));
        Set<String> found = new LinkedHashSet<>();
        plan.getRoots().forEach(root -> run.collect(root, plan, found));
        tests.stream().filter(test -> !found.contains(test)).forEach(test -> {
            channel.start(test);
            channel.end(test, "missing", "");
        });
        if (found.isEmpty()) {
            return false;
        }
        run.turns = new Turns(channel, List.copyOf(found));
        launcher.execute(plan, run);
        return run.turns.end() && found.size() == tests.size();
    }

    private void collect(TestIdentifier identifier, TestPlan plan, Set<String> found) {
        String test = nameOf(identifier);
        if (test != null) {
            found.add(test);
        }
        // Not a set of all below it: their order counts.
        plan.getChildren(identifier).forEach(child -> collect(child, plan, found));
    }

    /** Returns the wanted test that something stands for; null where it is a class, or a part of a test. */
    private String nameOf(TestIdentifier identifier) {
        MethodSource source = identifier.getSource().filter(MethodSource.class::isInstance).map(MethodSource.class::cast).orElse(null);
        String name = source == null ? "" : source.getClassName() + "::" + source.getMethodName();
        return tests.contains(name) ? name : null;
    }

    @Override
    public void executionStarted(TestIdentifier identifier) {
        String test = nameOf(identifier);
        if (test != null) {
            turns.open(test);
        }
        if (identifier.isTest()) {
            turns.ran();
        }
    }

    @Override
    public void executionSkipped(TestIdentifier identifier, String reason) {
        String test = nameOf(identifier);
        if (test != null) {
            turns.open(test);
        }
        turns.note("skipped", reason);
    }

    @Override
    public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
        String status = JUnit5Runner.statusOf(result);
        if (status != null) {
            turns.note(status, JUnit5Runner.messageOf(result));
        }
    }

    /** The order of the request. JUnit makes it by its name. */
    public static final class InOrder implements MethodOrderer {
        private static List<String> names = List.of();

        @Override
        public void orderMethods(MethodOrdererContext context) {
            context.getMethodDescriptors().sort(Comparator.comparing(method -> names.indexOf(method.getMethod().getName())));
        }
    }
}
