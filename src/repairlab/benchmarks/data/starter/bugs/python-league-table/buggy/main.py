"""Prints a league table."""

import sys


class Team:
    def __init__(self, name):
        self.name = name
        self.points = 0
        self.scored = 0
        self.conceded = 0

    def record(self, scored, conceded):
        self.scored += scored
        self.conceded += conceded
        if scored > conceded:
            self.points += 3
        elif scored == conceded:
            self.points += 1

    @property
    def difference(self):
        return self.scored - self.conceded


def read_matches(stream):
    """Yield home team, home goals, away goals and away team."""
    count = int(stream.readline())
    for _ in range(count):
        home, home_goals, _, away_goals, away = stream.readline().split()
        yield home, int(home_goals), int(away_goals), away


def standings(matches):
    """Return the teams from first to last."""
    teams = {}
    for home, home_goals, away_goals, away in matches:
        teams.setdefault(home, Team(home)).record(home_goals, away_goals)
        teams.setdefault(away, Team(away)).record(away_goals, home_goals)
    return sorted(teams.values(), key=lambda team: (-team.points, -team.difference, team.name)))


def main():
    for place, team in enumerate(standings(read_matches(sys.stdin)), start=1):
        print(f"{place}. {team.name} {team.points} {team.difference:+d}")


if __name__ == "__main__":
    main()
