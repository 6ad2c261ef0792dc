package calendar;

import java.time.LocalDate;
import java.time.temporal.ChronoUnit;

/** Days from a first to a last one, both included. */
public final class DateRange {
    private final LocalDate first;
    private final LocalDate last;

    public DateRange(LocalDate first, LocalDate last) {
        if (last.isBefore(first)) {
            throw new IllegalArgumentException(last + " lies before " + first);
        }
        this.first = first;
        this.last = last;
    }

    public static DateRange parse(String text) {
        String[] ends = text.split("/", 2);
        LocalDate first = LocalDate.parse(ends[0]);
        return new DateRange(first, ends.length == 1 ? first : LocalDate.parse(ends[1]));
    }

    public LocalDate first() {
        return first;
    }

    public LocalDate last() {
        return last;
    }

    public long days() {
        return ChronoUnit.DAYS.between(first, last) + 1;
    }

    public boolean contains(LocalDate day) {
        return !day.isBefore(first) && !day.isAfter(last);
    }

    @Override
    public String toString() {
        return first + "/" + last;
    }
}
