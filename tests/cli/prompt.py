"""prompt.py POSTFETTO FILE: the prompt of `query FILE` through a terminal of its own: what a person types, what is shown.

Prints `ok NAME` or `not ok NAME` with what was seen, and ends with 1 if something failed. FILE is tests/cli's tiny.json.
"""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

WAIT = 30  # seconds that a loaded machine may need
PROMPT = "postfetto> "


class Session:
    def __init__(self, command, state, **more):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update({"TERM": "xterm", "LC_ALL": "C.UTF-8", "XDG_STATE_HOME": state, "HOME": state, **more})
            os.execv(command[0], command)
        self.seen, self.all, self.closed = "", "", False

    def until(self, text, wait=WAIT):
        """What comes up to the text, and true; or all that came until the time was over, and false."""
        end = time.monotonic() + wait
        while text not in self.seen and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.2)[0]:
                try:
                    got = os.read(self.fd, 65536)
                except OSError:
                    got = b""
                if not got:
                    self.closed = True
                    break
                self.seen += got.decode("utf-8", "replace")
                self.all += got.decode("utf-8", "replace")
        found, _, rest = self.seen.partition(text)
        good = text in self.seen
        self.seen = rest if good else ""
        return found, good

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def ask(self, keys, want=PROMPT):
        self.type(keys)
        found, good = self.until(want)
        return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", found).replace("\r", "") if good else f"(never came: {want!r}) {found}"

    def end(self, keys=""):
        """The exit code; a process that does not end is killed. What is typed before the editor sets up the terminal may be
        lost, so it is typed again."""
        for again in range(WAIT // 2):
            try:
                self.type("\x15" + keys if again and keys else keys)  # Ctrl-U: what stands on the line goes
            except OSError:
                pass
            self.until("\0never", 2)
            if self.closed:
                break
        if not self.closed:
            os.kill(self.pid, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class Test:
    def __init__(self):
        self.failed = 0

    def claim(self, name, good, seen=""):
        self.failed += not good
        print(f"ok {name}" if good else f"not ok {name}\n    {seen!r}", flush=True)


def last_lines(text, count):
    return [line.rstrip() for line in text.strip("\n").split("\n")][-count:]


def check_session(test, program, file, state):
    s = Session([program, "query", file], state)
    test.claim("prompt: says how a statement ends", "';'" in s.ask(""), s.all)
    got = s.ask("select name, dur\nfrom slice\norder by 1;\n")
    test.claim("prompt: a statement on three lines, as a table", last_lines(got, 3)[0].split() == ["name", "dur"] and "...>" in got
               and [line.split() for line in last_lines(got, 3)[1:]] == [["a", "3000"], ["say", '"b"', "500"]], got)
    got = s.ask("select missing from slice;\n")
    test.claim("prompt: an error does not end it", "no such column: missing" in got, got)
    for _ in range(10):  # Ctrl-C may come before the query runs, and drops the line then
        s.type("with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n;\n")
        time.sleep(0.5)
        s.type("\x03")
        got, good = s.until("cancelled", 3)
        if good:
            break
        got = "never came"
    test.claim("prompt: Ctrl-C ends a query", "never came" not in got, got)
    got = s.ask("", PROMPT) + s.ask("select 5 as five;\n")
    test.claim("prompt: and not the session", last_lines(got, 2) == ["five", "   5"], got)
    got = s.ask("select \n", "...> ") + s.ask("\x03") + s.ask("select 6 as six;\n")
    test.claim("prompt: Ctrl-C drops what was typed", last_lines(got, 2) == ["six", "  6"], got)
    got = s.ask("sel\t6 as n, depth from process_sl\t where 1 = 0;\n")
    test.claim("prompt: keywords and tables are completed", "select 6 as n, depth from process_slice" in got and "error" not in got, got)
    got = s.ask("create table kept as select 1 as remarkable;\n") + s.ask("select kept.rem\tfrom kep\t;\n")
    test.claim("prompt: columns of a table, also of a new one", last_lines(got, 2) == ["remarkable", "         1"], got)
    got = s.ask("select thread.utid, t\t", "trace_bounds")
    test.claim("prompt: a list of what fits", "thread_track" in got and "never came" not in got, got)
    s.ask("", PROMPT)
    s.ask("\x03")
    got = s.ask(".tables\n")
    test.claim("prompt: .tables", "\nslice " in got and "\nkept " in got, got)
    got = s.ask(".schema kept\n")
    test.claim("prompt: .schema TABLE", last_lines(got, 1)[0].split()[:2] == ["kept", "remarkable"], got)
    got = s.ask(".he\t\n") + s.ask(".nonsense\n")
    test.claim("prompt: .help and what is no command", ".schema [TABLE]" in got and ".nonsense is not a command" in got, got)
    test.claim("prompt: the end of the input", s.end("\x04") == 0, s.all)


def check_history(test, program, file, state):
    s = Session([program, "query", "-q", file, "--format", "csv"], state)
    s.ask("")
    got = s.ask("\x1b[A" * 5 + "\n")
    test.claim("prompt: statements of an earlier session", "no such table: kept" in got, got)
    test.claim("prompt: .quit", s.end(".quit\n") == 0, s.all)
    mode = os.stat(os.path.join(state, "postfetto", "history")).st_mode & 0o777
    test.claim("prompt: nobody else reads the history", mode == 0o600, oct(mode))
    s = Session([program, "query", file], "/dev/null/no")
    s.ask("")
    got = s.ask("select 1 as one;\n")
    test.claim("prompt: a history that cannot be written", last_lines(got, 2) == ["one", "  1"] and s.end("\x04") == 0, s.all)


def check_ends(test, program, file, state):
    s = Session([program, "query", file], state)
    s.ask("")
    os.kill(s.pid, signal.SIGTERM)
    code = s.end()
    test.claim("prompt: SIGTERM ends it", code == 143, code)
    s = Session([program, "query", file, "--fail-if", "1"], state)
    code = s.end()
    test.claim("prompt: none where thresholds are all that is asked", code == 1 and PROMPT not in s.all, s.all)
    s = Session([program, "query", file, "-o", os.path.join(state, "out.csv")], state)
    code = s.end()
    test.claim("prompt: none where rows go to a file", code == 2 and "no SQL is given" in s.all, s.all)
    done = subprocess.run([program, "query", file], input=b"select 1 as one;", capture_output=True, check=False)
    test.claim("prompt: none where standard input is no terminal", done.stdout == b'"one"\n1\n' and done.stderr == b"", done)


def main():
    program, file = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    test = Test()
    with tempfile.TemporaryDirectory() as state:
        check_session(test, program, file, state)
        check_history(test, program, file, state)
        check_ends(test, program, file, state)
    sys.exit(1 if test.failed else 0)


if __name__ == "__main__":
    main()
