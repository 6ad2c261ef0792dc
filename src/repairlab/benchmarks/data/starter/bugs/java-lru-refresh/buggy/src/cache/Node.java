package cache;

/** Link of the recency list of {@link LruCache}. */
final class Node<K, V> {
    final K key;
    V value;
    Node<K, V> newer;
    Node<K, V> older;

    Node(K key, V value) {
        this.key = key;
        this.value = value;
    }
}
