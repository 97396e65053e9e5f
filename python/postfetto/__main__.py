"""The command `postfetto`, which the package carries."""
import os
import pathlib
import sys


def main() -> None:
    command = str(pathlib.Path(__file__).parent / "postfetto")
    os.execv(command, [command, *sys.argv[1:]])


if __name__ == "__main__":
    main()
