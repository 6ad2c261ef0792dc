def check_sums(add):
    assert add(1, 2) == 3
    assert add(5, 2) == 7
