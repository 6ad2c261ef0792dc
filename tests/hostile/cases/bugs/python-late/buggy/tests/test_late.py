import pathlib

import calc

DATA = pathlib.Path(__file__).parent / 'data'


def test_sums():
    from helpers import check_sums

    check_sums(calc.add)


def test_table():
    wanted = (DATA / 'expected.txt').read_text().split()
    assert [str(calc.add(a, 20)) for a in range(4)] == wanted


def test_names(tmp_path):
    import filecmp

    made = tmp_path / 'made.txt'
    made.write_text(''.join(f'{calc.name(a)}\n' for a in range(2)))
    assert filecmp.cmp(made, DATA / 'names.golden', shallow=False)
