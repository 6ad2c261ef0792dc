class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __eq__(self, other):
        return isinstance(other, Point)

    def __repr__(self):
        return f"Point({self.x}, {self.y})"


def parse(text):
    x, y = text.split(",")
    return Point(int(y), int(x))
