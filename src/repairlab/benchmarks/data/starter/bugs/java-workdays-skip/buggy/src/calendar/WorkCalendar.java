package calendar;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Knows which days people work: Monday to Friday without public holidays. */
public final class WorkCalendar {
    private final Set<LocalDate> holidays = new TreeSet<>();

    public WorkCalendar addHoliday(String isoDate) {
        holidays.add(LocalDate.parse(isoDate));
        return this;
    }

    public boolean isWorkingDay(LocalDate day) {
        DayOfWeek weekday = day.getDayOfWeek();
        return weekday != DayOfWeek.SATURDAY && weekday != DayOfWeek.SUNDAY && !holidays.contains(day);
    }

    /** Returns the working days of a range in order. */
    public List<LocalDate> workingDays(DateRange range) {
        List<LocalDate> days = new ArrayList<>();
        for (LocalDate day = range.first(); range.contains(day); day = day.plusDays(1)) {
            if (!isWorkingDay(day)) {
                day = day.plusDays(1);
                continue;
            }
            days.add(day);
        }
        return days;
    }

    /** Returns the first working day on or after a day. */
    public LocalDate nextWorkingDay(LocalDate day) {
        LocalDate candidate = day;
        while (!isWorkingDay(candidate)) {
            candidate = candidate.plusDays(1);
        }
        return candidate;
    }
}
