"""A job's setting is declared in four places: its member, its field of the message, its row in the command line's table, and
its keyword in Python.

What only carries settings on does not name them, so that a new one costs no more than these and its use.
"""

import re

import source_tree

MEMBERS = "common/base/job_settings.h"
MESSAGE = "common/protocol/types.proto"
CARRIER = "common/protocol/convert.h"  # names those that are no plain text, number or duration
FLAGS = "cli/job_fields.cpp"
PYTHON = "python/ontime/client.py"

RARE = {"kill_on_miss", "attempts_max", "attempt_timeout", "record_bytes_max", "estimator", "policy_parameters", "checkpoint_interval"}

# How many files of the product name them. A change that raises one says here why.
# attempts_max: a job of `each` that halts at its first failure has one attempt.
FILES_MAX = {"kill_on_miss": 8, "attempts_max": 9, "record_bytes_max": 11}


def _block(text, head):
    """Between the braces behind `head`; empty if there is none."""
    found = re.search(head + r"\s*\{(.*?)\n\}", text, re.DOTALL)
    return found[1] if found else ""


def check(sources):
    product = {source.path: source for source in sources if not source.path.startswith("tests/")}
    if MEMBERS not in product:
        return []
    struct = _block(product[MEMBERS].code, r"struct JobSettings")
    members = re.findall(r"^\s+[\w:<>, ]+?\s(\w+)(?:\s*=[^;=]*|\{[^;]*\})?;", struct, re.MULTILINE)
    wrong = [f"{MEMBERS}: no members of JobSettings were found"] if not members else []
    carried = product[MEMBERS].code.split("ONTIME_JOB_SETTINGS", 1)[-1] + (product[CARRIER].code if CARRIER in product else "")
    for member in members:
        if not re.search(rf"\b{member} = \d+;", _block(product[MESSAGE].text, "message JobSettings") if MESSAGE in product else ""):
            wrong.append(f"{MESSAGE}: JobSettings has no field {member}")
        if not re.search(rf"\b{member}\b", carried):
            wrong.append(f"{CARRIER}: {member} is not carried on; add it to ONTIME_JOB_SETTINGS")
        if not re.search(rf"\bjob\.{member}\b", product[FLAGS].code if FLAGS in product else ""):
            wrong.append(f"{FLAGS}: no flag sets {member}")
    keywords = re.search(r"^class Options\(.*?(?=^\S.*\n|\Z)", product[PYTHON].text, re.DOTALL | re.MULTILINE) if PYTHON in product else None
    known = set(re.findall(r"^    (\w+):", keywords[0], re.MULTILINE)) if keywords else set()
    for flag in re.findall(r'"--([\w-]+)",', product[FLAGS].text) if FLAGS in product else ():
        keyword = flag.replace("-", "_")
        if not known & {keyword, keyword + "s"}:
            wrong.append(f"{PYTHON}: Options has no {keyword}, which is the flag --{flag} of {FLAGS}")
    for path, source in product.items():
        if not path.endswith(".proto") or path == MESSAGE:
            continue
        for member in RARE.intersection(members):
            if re.search(rf"\b{member}(?:_ns)? = \d+;", source.text):
                wrong.append(f"{path}: a message restates {member}; let it hold wire.JobSettings")
    for name, most in FILES_MAX.items():
        naming = sorted(path for path, source in product.items() if re.search(rf"\b(?:\w+_)?{name}\b", source.code))
        if len(naming) > most:
            wrong.append(f"{name}: {len(naming)} files name it, and {most} did: {', '.join(naming)}")
    return wrong


def _sample(struct="  bool kill_on_miss = false;\n", listed="X(kill_on_miss)", field="bool kill_on_miss = 1;",
            flag="job.kill_on_miss", *more, keyword="on_miss: str"):
    return [(MEMBERS, f"struct JobSettings {{\n{struct}  bool operator==(const JobSettings&) const = default;\n}};\n"
                      f"#define ONTIME_JOB_SETTINGS(X) {listed}\n"),
            (MESSAGE, f"message JobSettings {{\n  {field}\n}}\n"), (CARRIER, ""),
            (FLAGS, f'f(app, "--on-miss", {flag});\n'), *more] + [(PYTHON, f"class Options(TypedDict):\n    {keyword}\n\n\nx = 1\n")]


BAD = [_sample(keyword="deadline: Time"), _sample(listed=""), _sample(field="bool other = 1;"), _sample(flag="job.other"), _sample(struct=""),
       _sample(struct="  bool kill_on_miss = false;\n  Duration grace{0};\n"),
       _sample("  bool kill_on_miss = false;\n", "X(kill_on_miss)", "bool kill_on_miss = 1;", "job.kill_on_miss",
               ("common/protocol/client.proto", "message JobSummary {\n  bool kill_on_miss = 7;\n}\n")),
       _sample("  bool kill_on_miss = false;\n", "X(kill_on_miss)", "bool kill_on_miss = 1;", "job.kill_on_miss",
               *((f"master/x{i}.cpp", "f(spec.kill_on_miss);\n") for i in range(FILES_MAX["kill_on_miss"])))]
GOOD = [_sample(), ("master/x.cpp", "f(spec.kill_on_miss);\n"),
        _sample("  bool kill_on_miss = false;\n", "X(kill_on_miss)", "bool kill_on_miss = 1;", "job.kill_on_miss",
                ("common/protocol/advise.proto", "message Job {\n  JobSettings settings = 7;\n}\n"),
                ("master/x.cpp", "f(spec.kill_on_miss);\n"))]

if __name__ == "__main__":
    source_tree.main(check, BAD, GOOD)
