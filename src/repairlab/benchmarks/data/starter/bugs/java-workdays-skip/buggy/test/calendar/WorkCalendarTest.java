package calendar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkCalendarTest {
    private final WorkCalendar calendar = new WorkCalendar().addHoliday("2024-05-01").addHoliday("2024-12-25");

    private int cost(String range) {
        return new LeaveRequest("kim", DateRange.parse(range)).cost(calendar);
    }

    @Test
    void fullWeekHasFiveWorkingDays() {
        assertEquals(5, cost("2024-04-08/2024-04-14"));
    }

    @Test
    void weekendCostsNothing() {
        assertEquals(0, cost("2024-04-13/2024-04-14"));
        assertEquals(0, cost("2024-04-14"));
    }

    @Test
    void twoWeeksFromMondayToFriday() {
        assertEquals(10, cost("2024-04-08/2024-04-19"));
        assertTrue(new LeaveRequest("kim", DateRange.parse("2024-04-08/2024-04-19")).fits(calendar, 10));
    }

    @Test
    void holidayIsNoWorkingDay() {
        assertFalse(calendar.isWorkingDay(LocalDate.parse("2024-05-01")));
        assertTrue(calendar.isWorkingDay(LocalDate.parse("2024-05-02")));
        assertEquals(2, cost("2024-04-29/2024-05-01"));
    }

    @Test
    void nextWorkingDayAfterTheWeekend() {
        assertEquals(LocalDate.parse("2024-04-15"), calendar.nextWorkingDay(LocalDate.parse("2024-04-13")));
    }

    @Test
    void rangeCountsBothEnds() {
        assertEquals(7, DateRange.parse("2024-04-08/2024-04-14").days());
        assertEquals(1, DateRange.parse("2024-04-08").days());
        assertThrows(IllegalArgumentException.class, () -> DateRange.parse("2024-04-08/2024-04-07"));
    }

    @Test
    void rangeThatStartsOnSunday() {
        assertEquals(5, cost("2024-04-14/2024-04-20"));
    }

    @Test
    void dayAfterAHolidayIsCounted() {
        List<LocalDate> days = calendar.workingDays(DateRange.parse("2024-04-30/2024-05-03"));
        assertEquals("[2024-04-30, 2024-05-02, 2024-05-03]", days.toString());
    }
}
