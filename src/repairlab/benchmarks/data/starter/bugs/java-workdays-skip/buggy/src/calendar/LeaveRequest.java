package calendar;

/** A request for days off; only working days are taken from the allowance. */
public final class LeaveRequest {
    private final String employee;
    private final DateRange range;

    public LeaveRequest(String employee, DateRange range) {
        this.employee = employee;
        this.range = range;
    }

    public String employee() {
        return employee;
    }

    public int cost(WorkCalendar calendar) {
        return calendar.workingDays(range).size();
    }

    public boolean fits(WorkCalendar calendar, int allowance) {
        return cost(calendar) <= allowance;
    }
}
