"""Orders and what may happen to them."""

import enum

from shop.stock import OutOfStock


class State(enum.Enum):
    PLACED = "placed"
    SHIPPED = "shipped"
    CANCELLED = "cancelled"


class OrderError(Exception):
    pass


class Order:
    def __init__(self, number, items):
        self.number = number
        self.items = dict(items)
        self.state = State.PLACED


class OrderBook:
    def __init__(self, stock):
        self._stock = stock
        self._orders = {}

    def order(self, number):
        if number not in self._orders:
            raise OrderError(f"no order {number}")
        return self._orders[number]

    def place(self, number, items):
        """Reserve all goods of a new order, or none of them."""
        if number in self._orders:
            raise OrderError(f"order {number} exists already")
        for item, count in items.items():
            if count > self._stock.available(item):
                raise OutOfStock(item)
        for item, count in items.items():
            self._stock.reserve(item, count)
        self._orders[number] = Order(number, items)

    def ship(self, number):
        order = self.order(number)
        if order.state is not State.PLACED:
            raise OrderError(f"order {number} is {order.state.value}")
        for item, count in order.items.items():
            self._stock.hand_out(item, count)
        order.state = State.SHIPPED

    def cancel(self, number):
        """Cancel an order that has not left the house; cancelling twice does no harm."""
        order = self.order(number)
        if order.state is State.SHIPPED:
            raise OrderError(f"order {number} is shipped")
        order.state = State.CANCELLED
