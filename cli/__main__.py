"""`python -m receval.cli`."""

from .main import program

if __name__ == "__main__":
    program()
