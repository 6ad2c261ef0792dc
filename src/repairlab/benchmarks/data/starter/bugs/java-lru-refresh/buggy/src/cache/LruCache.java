package cache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A cache of limited size that forgets the entry that was not used for the longest time. Reading and writing are both uses. */
public final class LruCache<K, V> {
    private final int capacity;
    private final Map<K, Node<K, V>> nodes = new HashMap<>();
    private final CacheStats stats = new CacheStats();
    private Node<K, V> newest;
    private Node<K, V> oldest;

    public LruCache(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity must be at least 1: " + capacity);
        }
        this.capacity = capacity;
    }

    /** Returns the value of a key, or null. */
    public V get(K key) {
        Node<K, V> node = nodes.get(key);
        if (node == null) {
            stats.miss();
            return null;
        }
        stats.hit();
        moveToFront(node);
        return node.value;
    }

    public void put(K key, V value) {
        Node<K, V> node = nodes.get(key);
        if (node != null) {
            node.value = value;
            return;
        }
        if (nodes.size() == capacity) {
            nodes.remove(oldest.key);
            unlink(oldest);
            stats.evicted();
        }
        node = new Node<>(key, value);
        nodes.put(key, node);
        linkFirst(node);
    }

    public boolean remove(K key) {
        Node<K, V> node = nodes.remove(key);
        if (node == null) {
            return false;
        }
        unlink(node);
        return true;
    }

    public int size() {
        return nodes.size();
    }

    /** Returns the keys, the most recently used one first. */
    public List<K> keys() {
        List<K> keys = new ArrayList<>();
        for (Node<K, V> node = newest; node != null; node = node.older) {
            keys.add(node.key);
        }
        return keys;
    }

    public CacheStats stats() {
        return stats;
    }

    private void moveToFront(Node<K, V> node) {
        if (node != newest) {
            unlink(node);
            linkFirst(node);
        }
    }

    private void linkFirst(Node<K, V> node) {
        node.newer = null;
        node.older = newest;
        if (newest != null) {
            newest.newer = node;
        } else {
            oldest = node;
        }
        newest = node;
    }

    private void unlink(Node<K, V> node) {
        if (node.newer != null) {
            node.newer.older = node.older;
        } else {
            newest = node.older;
        }
        if (node.older != null) {
            node.older.newer = node.newer;
        } else {
            oldest = node.newer;
        }
    }
}
