public class ReportChannel {
    static { System.exit(0); }
}
