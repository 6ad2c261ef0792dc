package settings;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads {@code name = value} settings, where a value is a string in quotes, a number or another setting's name. */
public final class SettingsReader {
    private SettingsReader() {
    }

    public static Map<String, String> read(String text) {
        List<Token> tokens = new Tokenizer(text).tokens();
        Map<String, String> settings = new LinkedHashMap<>();
        int next = 0;
        while (tokens.get(next).kind() != Token.Kind.END) {
            Token name = expect(tokens.get(next), Token.Kind.NAME);
            expect(tokens.get(next + 1), Token.Kind.EQUALS);
            settings.put(name.text(), value(tokens.get(next + 2), settings));
            next += 3;
        }
        return settings;
    }

    private static String value(Token token, Map<String, String> settings) {
        if (token.kind() != Token.Kind.NAME) {
            if (token.kind() == Token.Kind.END || token.kind() == Token.Kind.EQUALS) {
                throw new SettingsException(token.line(), "expected a value");
            }
            return token.text();
        }
        String value = settings.get(token.text());
        if (value == null) {
            throw new SettingsException(token.line(), "unknown setting " + token.text());
        }
        return value;
    }

    private static Token expect(Token token, Token.Kind kind) {
        if (token.kind() != kind) {
            throw new SettingsException(token.line(), "expected " + kind + " but found " + token);
        }
        return token;
    }
}
