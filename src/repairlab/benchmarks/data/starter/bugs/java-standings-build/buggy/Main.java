import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.TreeMap;

/** Reads the results of a league and prints its standings; teams with equal points and goals share a place. */
public class Main {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int games = in.nextInt();
        Map<String, Team> teams = new TreeMap<>();
        for (int i = 0; i < games; i++) {
            Team home = teams.computeIfAbsent(in.next(), Team::new);
            Team guest = teams.computeIfAbsent(in.next(), Team::new);
            int homeGoals = in.nextInt();
            int guestGoals = in.nextInt();
            home.record(homeGoals, guestGoals);
            guest.record(guestGoals, homeGoals);
        }
        printStandings(teams);
    }

    private static void printStandings(Map<String, Team> teams) {
        List<Team> order = new ArrayList<>(teams.values());
        order.sort(Comparator.comparingInt(Team::points).thenComparingInt(Team::goals).reversed().thenComparing(Team::name));
        int place = 0;
        int counted = 0;
        Team before = null;
        order.forEach(team -> {
            counted++;
            if (before == null || team.points() != before.points() || team.goals() != before.goals()) {
                place = counted;
            }
            System.out.println(place + ". " + team.name() + " " + team.points() + " " + team.goals());
            before = team;
        });
    }
}
