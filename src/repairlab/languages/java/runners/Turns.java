import java.util.List;

/** What becomes of tests of one class that JUnit runs one after the other: each is reported when the next one begins. */
final class Turns {
    private final ReportChannel channel;
    private final List<String> tests;
    private String current;
    private boolean begun;
    private boolean allPassed = true;
    private String status = "missing";
    private String message = "";

    /** Takes the tests in the order in which they will run. What goes wrong before the first of them is laid at its door. */
    Turns(ReportChannel channel, List<String> tests) {
        this.channel = channel;
        this.tests = tests;
        current = tests.get(0);
        channel.start(current);
    }

    /** Says that it is the turn of a test, or still is. */
    void open(String test) {
        if (!test.equals(current)) {
            close();
            current = test;
            channel.start(test);
        }
        begun = true;
    }

    /** Says that the test runs: unless something is noted it passes. */
    void ran() {
        status = status.equals("missing") ? "passed" : status;
    }

    /** Says what became of the test, or of the class where no test has begun; the first thing counts. */
    void note(String newStatus, String newMessage) {
        if (status.equals("missing") || status.equals("passed")) {
            status = newStatus;
            message = newMessage;
        }
    }

    boolean failed() {
        return !status.equals("passed");
    }

    /** Reports what is left; returns whether all passed. A class that could not be set up has no tests that began. */
    boolean end() {
        String ofClass = status;
        String why = message;
        close();
        for (String test : begun || channel.stop ? List.<String>of() : tests.subList(1, tests.size())) {
            channel.start(test);
            channel.end(test, ofClass, why);
        }
        return allPassed;
    }

    private void close() {
        allPassed &= !failed();
        channel.end(current, status, message);
        status = "missing";
        message = "";
    }
}
