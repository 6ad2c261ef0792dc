package settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class SettingsReaderTest {
    private static String read(String text) {
        return SettingsReader.read(text).toString();
    }

    private static String error(String text) {
        return assertThrows(SettingsException.class, () -> SettingsReader.read(text)).getMessage();
    }

    @Test
    void stringsNumbersAndReferences() {
        assertEquals("{host=example.org, port=8080, fallback=example.org}",
                read("host = \"example.org\"\nport=8080\nfallback = host\n"));
    }

    @Test
    void commentsRunToTheEndOfTheLine() {
        assertEquals("{a=1, b=2}", read("# first \"x\"\na = 1 # b = 3\nb = 2#"));
    }

    @Test
    void escapesInStrings() {
        assertEquals("{a=x\ty\"z\\}", read("a = \"x\\ty\\\"z\\\\\""));
        assertEquals("line 1: unknown escape \\q", error("a = \"\\q\""));
    }

    @Test
    void errorsNameTheLine() {
        assertEquals("line 3: unknown setting c", error("a = 1\n# note\nb = c\n"));
        assertEquals("line 2: expected EQUALS but found NUMBER(5)", error("a = 1\nb 5"));
        assertEquals("line 1: expected a value", error("a ="));
    }

    @Test
    void stringMustEnd() {
        assertEquals("line 2: string without end", error("a = 1\nb = \"x\n"));
    }

    @Test
    void emptyFileHasNoSettings() {
        assertEquals("{}", read(" \n# nothing\n"));
    }

    @Test
    void stringMayHoldAHash() {
        assertEquals("{colour=#ff8800, channel=dev#42}", read("colour = \"#ff8800\"\nchannel = \"dev#42\"\n"));
    }

    @Test
    void commentBehindAStringWithAHash() {
        assertEquals("{tag=a#b, n=1}", read("tag = \"a#b\" # not \"c\"\nn = 1\n"));
    }
}
