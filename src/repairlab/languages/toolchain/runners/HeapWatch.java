package repairlab.resident;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;

/** Notices a run that needs much memory: in a JVM of its own, it might have run out of it. */
final class HeapWatch {
    /** A run that takes more of the heap than this is suspicious. */
    private static final long SUSPICIOUS = Runtime.getRuntime().maxMemory() / 16;
    private static final MemoryPoolMXBean OLD = oldGeneration();
    private static long least = Long.MAX_VALUE;

    private final long usedBefore;

    HeapWatch() {
        if (least != Long.MAX_VALUE && OLD.getUsage().getUsed() > least + SUSPICIOUS / 2) {
            System.gc(); // what earlier runs left behind would make room for this one unseen
        }
        usedBefore = OLD.getUsage().getUsed();
        least = Math.min(least, usedBefore);
        OLD.resetPeakUsage();
    }

    boolean isSuspicious() {
        return OLD.getPeakUsage().getUsed() - usedBefore > SUSPICIOUS;
    }

    private static MemoryPoolMXBean oldGeneration() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getName().equals("Tenured Gen")) {
                return pool;
            }
        }
        throw new IllegalStateException("this JVM has no serial collector");
    }
}
