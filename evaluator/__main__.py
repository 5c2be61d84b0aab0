"""`python -m receval`."""

from receval.cli.main import program

if __name__ == "__main__":
    program()
