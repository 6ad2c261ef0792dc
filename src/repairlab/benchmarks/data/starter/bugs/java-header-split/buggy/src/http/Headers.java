package http;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Header fields of one message; names are compared without regard to case, values keep their order. */
public final class Headers {
    private final Map<String, List<String>> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    public void add(String name, String value) {
        fields.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
    }

    public Optional<String> first(String name) {
        List<String> values = fields.get(name);
        return values == null ? Optional.empty() : Optional.of(values.get(0));
    }

    public List<String> all(String name) {
        return Collections.unmodifiableList(fields.getOrDefault(name, List.of()));
    }

    public boolean contains(String name) {
        return fields.containsKey(name);
    }

    public int size() {
        return fields.size();
    }

    /** Length of the body as announced, or -1. */
    public long contentLength() {
        Optional<String> value = first("Content-Length");
        if (value.isEmpty()) {
            return -1;
        }
        try {
            return Long.parseLong(value.get());
        } catch (NumberFormatException e) {
            throw new MalformedHeaderException("Content-Length is not a number: " + value.get());
        }
    }
}
