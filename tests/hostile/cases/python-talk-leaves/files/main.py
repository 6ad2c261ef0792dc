print(500, flush=True)
