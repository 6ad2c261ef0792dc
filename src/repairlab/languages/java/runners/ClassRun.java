import java.lang.reflect.AnnotatedElement;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.runner.Description;
import org.junit.runner.Request;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;
import org.junit.runner.notification.RunNotifier;
import org.junit.runner.notification.StoppedByUserException;

/** Tests of a class with a set-up of its own, a server for example: it is made once for all of them, as they expect. */
final class ClassRun extends RunListener {
    private final Class<?> type;
    private final Runner runner;
    private final List<String> tests;
    private final ReportChannel channel;
    private final RunNotifier notifier = new RunNotifier();
    private Turns turns;

    private ClassRun(Class<?> type, Runner runner, List<String> tests, ReportChannel channel) {
        this.type = type;
        this.runner = runner;
        this.tests = tests;
        this.channel = channel;
    }

    /** Returns whether a class has something to be done before or after all of its tests. */
    static boolean hasSetUp(String name) {
        try {
            Class<?> type = Class.forName(name, false, ClassRun.class.getClassLoader());
            return Stream.concat(Stream.of(type.getMethods()), Stream.of(type.getFields())).anyMatch(ClassRun::isSetUp);
        } catch (ClassNotFoundException | LinkageError error) {
            return false; // said when its turn comes
        }
    }

    private static boolean isSetUp(AnnotatedElement member) {
        return Stream.of(BeforeClass.class, AfterClass.class, ClassRule.class).anyMatch(member::isAnnotationPresent);
    }

    /** Returns what runs tests of one class, in this order unless the class has one; nothing where JUnit runs one several times. */
    static ClassRun of(List<String> tests, ReportChannel channel) throws ClassNotFoundException {
        Class<?> type = Class.forName(tests.get(0).split("::", 2)[0], false, ClassRun.class.getClassLoader());
        Map<String, Integer> places = new HashMap<>();
        tests.forEach(test -> places.put(test, places.size()));
        Comparator<Description> order = Comparator.comparing(test -> places.getOrDefault(SuiteTests.fullName(test, type), -1));
        Runner runner = Request.aClass(type).filterWith(new AnyOf(places.keySet(), type)).sortWith(order).getRunner();
        List<String> found = leaves(runner.getDescription()).map(test -> SuiteTests.fullName(test, type)).collect(Collectors.toList());
        boolean once = new HashSet<>(found).size() == found.size() && places.keySet().containsAll(found);
        return once && !found.isEmpty() ? new ClassRun(type, runner, found, channel) : null;
    }

    private static Stream<Description> leaves(Description description) {
        return description.isTest() ? Stream.of(description) : description.getChildren().stream().flatMap(ClassRun::leaves);
    }

    boolean has(String test) {
        return tests.contains(test);
    }

    /** Runs and reports them; returns whether all passed. */
    boolean run() {
        notifier.addListener(this);
        turns = new Turns(channel, tests);
        try {
            runner.run(notifier);
        } catch (StoppedByUserException asked) {
            // at a test that failed
        }
        return turns.end();
    }

    private void stopIfAsked() {
        if (channel.stop && turns.failed()) {
            notifier.pleaseStop();
        }
    }

    @Override
    public void testStarted(Description description) {
        turns.open(SuiteTests.fullName(description, type));
        turns.ran();
    }

    @Override
    public void testFinished(Description description) {
        stopIfAsked();
    }

    @Override
    public void testFailure(Failure failure) {
        turns.note(ReportChannel.statusOf(failure.getException()), ReportChannel.describe(failure.getException()));
    }

    @Override
    public void testAssumptionFailure(Failure failure) {
        turns.note("skipped", ReportChannel.describe(failure.getException()));
    }

    @Override
    public void testIgnored(Description description) {
        turns.open(SuiteTests.fullName(description, type));
        turns.note("skipped", "");
        stopIfAsked();
    }

    /** Lets the tests with certain full names through. */
    private static final class AnyOf extends Filter {
        private final Set<String> names;
        private final Class<?> type;

        AnyOf(Set<String> names, Class<?> type) {
            this.names = names;
            this.type = type;
        }

        @Override
        public boolean shouldRun(Description description) {
            return leaves(description).anyMatch(test -> names.contains(SuiteTests.fullName(test, type)));
        }

        @Override
        public String describe() {
            return "tests of " + type.getName();
        }
    }
}
