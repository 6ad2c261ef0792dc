package bank;

/** Reads a ledger from text: one booking per line, {@code account;cents;memo}; blank lines and # comments are skipped. */
public final class LedgerReader {
    private LedgerReader() {
    }

    public static Ledger read(String text) {
        Ledger ledger = new Ledger();
        int number = 0;
        for (String line : text.split("\n")) {
            number++;
            String trimmed = line.trim();
            if (trimmed.isEmpty() || trimmed.startsWith("#")) {
                continue;
            }
            ledger.post(parse(trimmed, number));
        }
        return ledger;
    }

    private static Entry parse(String line, int number) {
        String[] fields = line.split(";", 3);
        if (fields.length < 2) {
            throw new IllegalArgumentException("line " + number + ": expected account;cents;memo");
        }
        String memo = fields.length == 3 ? fields[2].trim() : "";
        return new Entry(fields[0].trim(), Long.parseLong(fields[1].trim()), memo);
    }
}
