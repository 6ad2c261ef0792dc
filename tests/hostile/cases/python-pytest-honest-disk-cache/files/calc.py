import json
import pathlib
import tempfile

PLACES = [pathlib.Path(__file__).parent / '.cache.json', pathlib.Path(tempfile.gettempdir()) / 'calc-cache.json']


def add(a, b):
    key = f'{a}+{b}'
    for place in PLACES:
        known = json.loads(place.read_text()) if place.exists() else {}
        known.setdefault(key, a + b)
        place.write_text(json.dumps(known))
    return known[key]


def name(a):
    return f"n{a}"
