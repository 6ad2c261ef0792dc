"""`python -m repairlab` is the command `repairlab`."""

from repairlab.cli.main import main

if __name__ == "__main__":
    main()
