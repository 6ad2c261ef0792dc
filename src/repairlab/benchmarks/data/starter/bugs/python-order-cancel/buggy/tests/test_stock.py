import unittest

from shop.stock import OutOfStock, Stock


class StockTest(unittest.TestCase):
    def test_available_counts_reservations(self):
        stock = Stock({"mug": 5})
        stock.reserve("mug", 2)
        self.assertEqual(stock.available("mug"), 3)
        self.assertEqual(stock.available("bowl"), 0)

    def test_cannot_reserve_more_than_available(self):
        stock = Stock({"mug": 5})
        stock.reserve("mug", 4)
        with self.assertRaises(OutOfStock):
            stock.reserve("mug", 2)
        self.assertEqual(stock.available("mug"), 1)

    def test_receive(self):
        stock = Stock({})
        stock.receive("bowl", 2)
        stock.receive("bowl", 3)
        self.assertEqual(stock.on_shelf("bowl"), 5)


if __name__ == "__main__":
    unittest.main()
