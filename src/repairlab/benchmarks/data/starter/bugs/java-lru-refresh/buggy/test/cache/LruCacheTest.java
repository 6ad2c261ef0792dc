package cache;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.List;
import org.junit.Test;

public class LruCacheTest {
    private final LruCache<String, Integer> cache = new LruCache<>(3);

    private void fill() {
        cache.put("a", 1);
        cache.put("b", 2);
        cache.put("c", 3);
    }

    @Test
    public void oldestEntryIsEvicted() {
        fill();
        cache.put("d", 4);
        assertNull(cache.get("a"));
        assertEquals(List.of("d", "c", "b"), cache.keys());
        assertEquals(1, cache.stats().evictions());
    }

    @Test
    public void readingKeepsAnEntry() {
        fill();
        assertEquals(Integer.valueOf(1), cache.get("a"));
        cache.put("d", 4);
        assertEquals(List.of("d", "a", "c"), cache.keys());
    }

    @Test
    public void puttingAgainReplacesTheValue() {
        fill();
        cache.put("b", 20);
        assertEquals(3, cache.size());
        assertEquals(Integer.valueOf(20), cache.get("b"));
        assertEquals(0, cache.stats().evictions());
    }

    @Test
    public void removedEntriesMakeRoom() {
        fill();
        assertTrue(cache.remove("b"));
        assertFalse(cache.remove("b"));
        cache.put("d", 4);
        assertEquals(List.of("d", "c", "a"), cache.keys());
    }

    @Test
    public void hitRateCountsLookups() {
        fill();
        cache.get("a");
        cache.get("x");
        assertEquals(0.5, cache.stats().hitRate(), 1e-9);
    }

    @Test
    public void capacityMustBePositive() {
        assertThrows(IllegalArgumentException.class, () -> new LruCache<String, String>(0));
    }

    @Test
    public void writingKeepsAnEntry() {
        fill();
        cache.put("a", 10);
        cache.put("d", 4);
        assertEquals(Integer.valueOf(10), cache.get("a"));
        assertNull(cache.get("b"));
    }

    @Test
    public void writtenEntryComesFirst() {
        fill();
        cache.put("b", 5);
        assertEquals(List.of("b", "c", "a"), cache.keys());
    }
}
