"""fixture_files.py: what the make_fixtures programs do with what they make: write it, or compare it with what is there."""
import pathlib
import sys

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "fixtures"


def write_or_check(files, folder=FIXTURES):
    """files: pairs of a name in the folder and bytes. Arguments of the program: [--check] [FOLDER]. Returns the exit
    status: 1 if --check finds a file that is not what is made."""
    check = sys.argv[1:2] == ["--check"]
    given = sys.argv[1 + check:]
    folder = pathlib.Path(given[0]) if given else folder
    wrong = []
    for name, data in files:
        path = folder / name
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        elif not path.exists() or path.read_bytes() != data:
            wrong.append(name)
    if wrong:
        print(f"not what {pathlib.Path(sys.argv[0]).name} makes: {', '.join(wrong)}")
    return 1 if wrong else 0
