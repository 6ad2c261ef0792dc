import sys

secret = int(open(sys.argv[1]).read())
for _ in range(12):
    guess = int(sys.stdin.readline())
    print("right" if guess == secret else "higher" if guess < secret else "lower", flush=True)
    if guess == secret:
        sys.exit(42)
print("too many guesses", file=sys.stderr)
sys.exit(43)
