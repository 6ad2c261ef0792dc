low, high = 1, 1000
while True:
    guess = low
    print(guess, flush=True)
    answer = input()
    if answer == "right":
        break
    low, high = (guess + 1, high) if answer == "higher" else (low, guess - 1)
