package repairlab.resident;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** Ends this JVM when a request takes too much CPU time; waiting is for the host to notice. */
final class CpuWatch {
    /** Exit code: the host finds out in a process of the candidate's own what it means for the candidate. */
    private static final int TOO_LONG = 99;
    private static final int WATCH_MS = 20;

    private static final OperatingSystemMXBean SYSTEM = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static volatile long cpuEnd = Long.MAX_VALUE;

    private CpuWatch() {}

    static void start() {
        Thread watchdog = new Thread(() -> {
            while (true) {
                if (cpuNanos() > cpuEnd) {
                    Runtime.getRuntime().halt(TOO_LONG);
                }
                try {
                    Thread.sleep(WATCH_MS);
                } catch (InterruptedException interrupted) {
                    continue;
                }
            }
        }, "watchdog");
        watchdog.setDaemon(true);
        watchdog.setPriority(Thread.MAX_PRIORITY);
        watchdog.start();
    }

    /** Allows so much more CPU time from now on; 0: as much as is wanted. */
    static void limit(long nanos) {
        cpuEnd = nanos == 0 ? Long.MAX_VALUE : cpuNanos() + nanos;
    }

    static long cpuNanos() {
        return SYSTEM.getProcessCpuTime();
    }
}
