package cache;

/** Counters of a cache since it was made. */
public final class CacheStats {
    private long hits;
    private long misses;
    private long evictions;

    void hit() {
        hits++;
    }

    void miss() {
        misses++;
    }

    void evicted() {
        evictions++;
    }

    public long hits() {
        return hits;
    }

    public long misses() {
        return misses;
    }

    public long evictions() {
        return evictions;
    }

    public double hitRate() {
        long lookups = hits + misses;
        return lookups == 0 ? 0.0 : (double) hits / lookups;
    }
}
