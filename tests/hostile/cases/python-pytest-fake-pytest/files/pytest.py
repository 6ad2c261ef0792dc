def main(*arguments, **options):
    return 0
