package shop;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.EnumMap;
import java.util.Map;

/** Opening hours of branch number NUMBER. */
public final class ShiftNUMBER {
    private final Map<DayOfWeek, LocalTime[]> hours = new EnumMap<>(DayOfWeek.class);

    public void open(DayOfWeek day, String from, String to) {
        LocalTime start = LocalTime.parse(from);
        LocalTime end = LocalTime.parse(to);
        if (!start.isBefore(end)) {
            throw new IllegalArgumentException(from + " is not before " + to);
        }
        hours.put(day, new LocalTime[] {start, end});
    }

    public boolean isOpen(LocalDate date, LocalTime time) {
        LocalTime[] span = hours.get(date.getDayOfWeek());
        return span != null && !time.isBefore(span[0]) && time.isBefore(span[1]);
    }

    public Duration week() {
        Duration sum = Duration.ZERO;
        for (LocalTime[] span : hours.values()) {
            sum = sum.plus(Duration.between(span[0], span[1]));
        }
        return sum;
    }

    public LocalDate nextOpenDay(LocalDate from) {
        for (int days = 0; days < 7; days++) {
            if (hours.containsKey(from.plusDays(days).getDayOfWeek())) {
                return from.plusDays(days);
            }
        }
        throw new IllegalStateException("never open");
    }
}
