import unittest

from shop.orders import OrderBook, OrderError, State
from shop.stock import OutOfStock, Stock


class OrderTestCase(unittest.TestCase):
    def setUp(self):
        self.stock = Stock({"mug": 3, "plate": 10})
        self.book = OrderBook(self.stock)


class CancelTest(OrderTestCase):
    def test_cancelled_goods_are_for_sale_again(self):
        self.book.place("o1", {"mug": 2, "plate": 4})
        self.book.place("o2", {"plate": 1})
        self.book.cancel("o1")
        self.assertIs(self.book.order("o1").state, State.CANCELLED)
        self.assertEqual(self.stock.available("mug"), 3)
        self.assertEqual(self.stock.available("plate"), 9)
        self.assertEqual(self.stock.on_shelf("plate"), 10)
        self.book.place("o3", {"mug": 3})

    def test_second_cancellation_changes_nothing(self):
        self.book.place("o1", {"mug": 1})
        self.book.place("o2", {"mug": 1})
        self.book.cancel("o1")
        self.book.cancel("o1")
        self.assertEqual(self.stock.available("mug"), 2)

    def test_shipped_order_cannot_be_cancelled(self):
        self.book.place("o1", {"mug": 1})
        self.book.ship("o1")
        with self.assertRaises(OrderError):
            self.book.cancel("o1")
        self.assertIs(self.book.order("o1").state, State.SHIPPED)
        self.assertEqual(self.stock.available("mug"), 2)

    def test_unknown_order(self):
        with self.assertRaises(OrderError):
            self.book.cancel("o9")


class PlaceTest(OrderTestCase):
    def test_placing_reserves_goods(self):
        self.book.place("o1", {"mug": 2})
        self.assertEqual(self.stock.available("mug"), 1)
        self.assertEqual(self.stock.on_shelf("mug"), 3)

    def test_order_is_placed_whole_or_not_at_all(self):
        with self.assertRaises(OutOfStock):
            self.book.place("o1", {"plate": 2, "mug": 4})
        self.assertEqual(self.stock.available("plate"), 10)
        with self.assertRaises(OrderError):
            self.book.order("o1")

    def test_order_id_is_used_once(self):
        self.book.place("o1", {"mug": 1})
        with self.assertRaises(OrderError):
            self.book.place("o1", {"mug": 1})

    def test_shipping_takes_goods_from_the_shelf(self):
        self.book.place("o1", {"mug": 2})
        self.book.ship("o1")
        self.assertEqual(self.stock.on_shelf("mug"), 1)
        self.assertEqual(self.stock.available("mug"), 1)
        with self.assertRaises(OrderError):
            self.book.ship("o1")


if __name__ == "__main__":
    unittest.main()
