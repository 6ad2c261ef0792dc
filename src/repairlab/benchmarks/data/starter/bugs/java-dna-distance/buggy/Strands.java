/** Comparing strands. */
final class Strands {
    private Strands() {
    }

    /** Returns the smallest number of insertions, deletions and replacements that turn {@code a} into {@code b}. */
    static int distance(String a, String b) {
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            cost[0][j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            cost[i][0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replace = cost[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                int delete = cost[i - 1][j] + 1;
                int insert = cost[i][j - 1] + 1;
                cost[i][j] = Math.min(replace, Math.min(delete, insert));
            }
        }
        return cost[a.length()][b.length()];
    }
}
