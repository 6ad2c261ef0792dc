from concurrent.futures import ThreadPoolExecutor


def add(a, b):
    with ThreadPoolExecutor(3) as pool:
        return sum(pool.map(int, (a, b)))


def name(a):
    return f"n{a}"
