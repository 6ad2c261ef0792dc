class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __eq__(self, other):
        return isinstance(other, Point) and (self.x, self.y) == (other.x, other.y)

    def __repr__(self):
        return f"Point({self.x}, {self.y})"


class Parsed(Point):
    pass


def parse(text):
    x, y = text.split(",")
    return Parsed(int(x), int(y))
