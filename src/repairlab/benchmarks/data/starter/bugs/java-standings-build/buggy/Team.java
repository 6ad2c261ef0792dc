/** A team and what it has won so far. */
final class Team {
    private final String name;
    private int points;
    private int goals;

    Team(String name) {
        this.name = name;
    }

    void record(int scored, int conceded) {
        goals += scored - conceded;
        if (scored > conceded) {
            points += 3;
        } else if (scored == conceded) {
            points += 1;
        }
    }

    String name() {
        return name;
    }

    int points() {
        return points;
    }

    int goals() {
        return goals;
    }
}
