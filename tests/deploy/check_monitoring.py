"""The alarms and dashboards of docker/monitoring ask for metrics that `ontime web` exports, and Grafana can load the latter.

Of a dashboard are checked the parts of its model that Grafana cannot do without: unique ids, a grid of 24 columns in which no
panel lies on another one, and a query in each of its targets, to the data source that its user chooses.
"""

import copy
import json
import os
import re
import sys

METRICS = "cli/web/metrics.cpp"
FOLDER = "docker/monitoring"
PANELS = {"bargauge", "stat", "timeseries"}
COLUMNS = 24
CHOSEN = {"type": "prometheus", "uid": "${datasource}"}


def exported(source):
    """What Prometheus calls them: of a histogram its parts."""
    found = set(re.findall(r'sheet\.(?:set|count)\(\s*"(ontime_\w+)"', source))
    return found | {name + end for name in found if name.endswith("_seconds") for end in ("_bucket", "_sum", "_count")}


def unknown(text, known):
    return [f"there is no metric {name}" for name in sorted(set(re.findall(r"\bontime_\w+", text)) - known)]


def overlap(one, other):
    return (one["x"] < other["x"] + other["w"] and other["x"] < one["x"] + one["w"] and
            one["y"] < other["y"] + other["h"] and other["y"] < one["y"] + one["h"])


def dashboard_faults(board, known):
    wrong = [f"it has no {key}" for key in ("uid", "title", "schemaVersion", "panels", "templating", "time") if not board.get(key)]
    if wrong:
        return wrong
    variables = {variable["name"]: variable for variable in board["templating"]["list"]}
    if variables.get("datasource", {}).get("type") != "datasource":
        wrong.append("its user cannot choose a data source")
    panels = board["panels"]
    if len({panel["id"] for panel in panels}) < len(panels):
        wrong.append("two panels have the same id")
    for i, panel in enumerate(panels):
        place, title = panel["gridPos"], panel["title"]
        if panel["type"] not in PANELS:
            wrong.append(f"'{title}' is of a kind that is not known here: {panel['type']}")
        if place["x"] + place["w"] > COLUMNS or min(place.values()) < 0 or place["w"] * place["h"] == 0:
            wrong.append(f"'{title}' is not within {COLUMNS} columns")
        wrong += [f"'{title}' lies on '{other['title']}'" for other in panels[:i] if overlap(place, other["gridPos"])]
        queries = [target.get("expr") for target in panel["targets"]]
        if not queries or not all(queries):
            wrong.append(f"'{title}' asks for nothing")
        if any(target.get("datasource") != CHOSEN for target in [panel, *panel["targets"]]):
            wrong.append(f"'{title}' does not ask the data source that was chosen")
        used = re.findall(r"\$(\w+)", " ".join(filter(None, queries)))
        wrong += [f"'{title}' uses ${name}, which is no variable" for name in used if name not in variables]
    return wrong + unknown(json.dumps(board), known)


def check(root):
    with open(os.path.join(root, METRICS)) as file:
        known = exported(file.read())
    wrong, seen = [], {}
    names = sorted(os.listdir(os.path.join(root, FOLDER)))
    for name in names:
        with open(os.path.join(root, FOLDER, name)) as file:
            text = file.read()
        faults = unknown(text, known)
        if name.endswith(".json"):
            board = json.loads(text)
            faults = dashboard_faults(board, known)
            if board.get("uid") in seen:
                faults.append(f"{seen[board['uid']]} has the same uid")
            seen[board.get("uid")] = name
        wrong += [f"{FOLDER}/{name}: {fault}" for fault in faults]
    if len(names) < 3 or not seen or not known:
        wrong.append("there is nothing to check")
    return wrong


def self_test(root):
    """Each of these changes is noticed."""
    with open(os.path.join(root, METRICS)) as file:
        known = exported(file.read())
    with open(os.path.join(root, FOLDER, "grafana-jobs.json")) as file:
        good = json.load(file)
    changes = (lambda b: b.pop("uid"), lambda b: b["panels"][1].update(id=b["panels"][0]["id"]),
               lambda b: b["panels"][1]["gridPos"].update(x=15), lambda b: b["panels"][1]["gridPos"].update(w=9),
               lambda b: b["panels"][0]["targets"][0].update(expr=""), lambda b: b["panels"][0].update(targets=[]),
               lambda b: b["panels"][0]["targets"][0].update(expr="ontime_job_podc"),
               lambda b: b["panels"][0]["targets"][0].update(expr='ontime_up{instance="$cluster"}'),
               lambda b: b["panels"][0].update(datasource={"type": "prometheus", "uid": "mine"}),
               lambda b: b["panels"][0].update(type="graf"), lambda b: b["templating"]["list"].pop(0))
    wrong = ["the dashboard as it is has faults"] if dashboard_faults(good, known) else []
    for number, change in enumerate(changes):
        board = copy.deepcopy(good)
        change(board)
        if not dashboard_faults(board, known):
            wrong.append(f"change {number} is not noticed")
    return wrong


if __name__ == "__main__":
    problems = self_test(sys.argv[2]) if sys.argv[1] == "--self-test" else check(sys.argv[1])
    print(*problems, sep="\n")
    sys.exit(bool(problems))
