package http;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.List;
import org.junit.Test;

public class HeaderParserTest {
    private final HeaderParser parser = new HeaderParser(4);

    @Test
    public void namesIgnoreCase() {
        Headers headers = parser.parse("Content-Type: text/plain\r\nContent-Length: 12\r\n\r\nbody");
        assertEquals("text/plain", headers.first("content-type").get());
        assertEquals(12, headers.contentLength());
        assertEquals(2, headers.size());
    }

    @Test
    public void repeatedFieldsKeepTheirOrder() {
        Headers headers = parser.parse("Accept: a\nX: 1\naccept: b\n");
        assertEquals(List.of("a", "b"), headers.all("Accept"));
    }

    @Test
    public void continuationLinesAreJoined() {
        assertEquals("one two", parser.parse("X-Long: one\n\t two\n").first("x-long").get());
    }

    @Test
    public void lineWithoutColonIsRefused() {
        assertThrows(MalformedHeaderException.class, () -> parser.parse("GET / HTTP"));
    }

    @Test
    public void blankBeforeTheColonIsRefused() {
        assertThrows(MalformedHeaderException.class, () -> parser.parse("Host : example.org"));
    }

    @Test
    public void tooManyFieldsAreRefused() {
        assertThrows(MalformedHeaderException.class, () -> parser.parse("a: 1\nb: 2\nc: 3\nd: 4\ne: 5\n"));
    }

    @Test
    public void hostKeepsItsPort() {
        assertEquals("localhost:8080", parser.parse("Host: localhost:8080\r\n\r\n").first("Host").get());
    }

    @Test
    public void locationKeepsTheWholeAddress() {
        String address = "https://example.org:8443/a?t=10:30";
        assertEquals(address, parser.parse("Location: " + address + "\n").first("Location").get());
    }

    @Test
    public void valueMayBeEmpty() {
        Headers headers = parser.parse("X-Empty:\nHost: a\n");
        assertTrue(headers.contains("X-Empty"));
        assertEquals("", headers.first("X-Empty").get());
    }
}
