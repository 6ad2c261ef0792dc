"""Finds connected land on a rectangular map."""

LAND = "#"
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def neighbours(row, column, rows, columns):
    """Yield the fields beside a field that lie on the map."""
    for down, right in STEPS:
        near_row, near_column = row + down, column + right
        if 0 <= near_row < rows and 0 <= near_column < rows:
            yield near_row, near_column


def island_areas(lines, rows, columns):
    """Return the area of each island, in the order of their first fields."""
    visited = set()
    areas = []
    for row in range(rows):
        for column in range(columns):
            if lines[row][column] != LAND or (row, column) in visited:
                continue
            visited.add((row, column))
            waiting = [(row, column)]
            area = 0
            while waiting:
                field = waiting.pop()
                area += 1
                for near in neighbours(*field, rows, columns):
                    if near not in visited and lines[near[0]][near[1]] == LAND:
                        visited.add(near)
                        waiting.append(near)
            areas.append(area)
    return areas
