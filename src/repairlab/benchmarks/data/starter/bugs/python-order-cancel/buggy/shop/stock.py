"""What lies on the shelves, and how much of it is promised to somebody."""


class OutOfStock(Exception):
    pass


class Stock:
    def __init__(self, shelves):
        self._shelves = dict(shelves)
        self._reserved = {}

    def on_shelf(self, item):
        return self._shelves.get(item, 0)

    def available(self, item):
        return self.on_shelf(item) - self._reserved.get(item, 0)

    def receive(self, item, count):
        self._shelves[item] = self.on_shelf(item) + count

    def reserve(self, item, count):
        if count > self.available(item):
            raise OutOfStock(item)
        self._reserved[item] = self._reserved.get(item, 0) + count

    def hand_out(self, item, count):
        """Take reserved goods from the shelf."""
        self._reserved[item] -= count
        self._shelves[item] -= count
