import sys

given, output, answer = (open(path).read() for path in sys.argv[1:])
first, second = map(int, output.split())
if first + second != int(given):
    print(f"{output} is not {given}", file=sys.stderr)
    sys.exit(1)
