#!/usr/bin/env python3
"""Errors planted on purpose: each *.patch here says what it breaks and within how many fault schedules that is found.

planted.py check ROOT                 every patch applies to the sources below ROOT, and says its bound
planted.py patch PATCH ROOT TO        patched copies of the sources that PATCH names, below TO
planted.py find PATCH... PROGRAMS     PROGRAMS/planted-NAME finds each error within its bound
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

_BOUND = re.compile(r"^Found within (\d+) schedules\.$", re.MULTILINE)
_FILE = re.compile(r"^\+\+\+ b/(\S+\.cpp)$", re.MULTILINE)


def bound_of(patch):
    found = _BOUND.search(patch.read_text())
    if not found:
        sys.exit(f"{patch}: no line 'Found within N schedules.'")
    return int(found[1])


def files_of(patch):
    files = _FILE.findall(patch.read_text())
    if not files:
        sys.exit(f"{patch}: changes no .cpp file; a change of a header would need more than its own file compiled")
    return files


def apply(patch, root, to):
    """No fuzz: a patch whose surroundings have changed may not plant the error that it names."""
    for name in files_of(patch):
        source = pathlib.Path(root, name)
        if not source.is_file():
            sys.exit(f"{patch.name}: there is no {name}")
        copy = pathlib.Path(to, name)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
    done = subprocess.run(["patch", "-p1", "--fuzz=0", "--no-backup-if-mismatch", "--reject-file=-", "-d", str(to)],
                          stdin=patch.open(), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{patch.name} no longer applies; make it anew from the sources as they are:\n{done.stdout}{done.stderr}")


def check(root):
    patches = sorted(pathlib.Path(__file__).parent.glob("*.patch"))
    for patch in patches:
        bound_of(patch)
        with tempfile.TemporaryDirectory() as to:
            apply(patch, root, to)
    if len(patches) < 18:
        sys.exit(f"only {len(patches)} patches: errors that were found once must stay planted")
    print(f"{len(patches)} patches apply")


def find(patches, programs):
    """Runs schedules until one ends badly. Exit status 1 alone would also be that of a program that cannot start."""
    missed = []
    for patch in patches:
        bound = bound_of(patch)
        run = subprocess.run([pathlib.Path(programs, f"planted-{patch.stem}"), "--seeds", f"1..{bound}"],
                             capture_output=True, text=True)
        how = re.search(r"seed \d+: .*", run.stderr)
        print(f"{patch.stem:24} " + (how[0] if how else f"NOT FOUND within {bound} schedules"), flush=True)
        if run.returncode != 1 or not how:
            missed.append(patch.stem)
            print(run.stderr)
    if missed:
        sys.exit(f"not found: {', '.join(missed)}")


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "check":
        check(arguments[1])
    elif len(arguments) == 4 and arguments[0] == "patch":
        apply(pathlib.Path(arguments[1]), arguments[2], arguments[3])
    elif len(arguments) >= 3 and arguments[0] == "find":
        find([pathlib.Path(patch) for patch in arguments[1:-1]], arguments[-1])
    else:
        sys.exit(__doc__)


main(sys.argv[1:])
