"""Forecasts of jobs beside what came true, as `ontime simulate` writes them of studies (NAME-forecasts.csv) and
scripts/forecast-real-jobs of real jobs; and the pages whose tables are made of them."""

import csv
import math
import re
import statistics
import subprocess

NUMBERS = ("share", "pocd", "low", "median", "high", "end", "deadline", "met")
BINS = 10
COLOURS = ("#000000", "#e69f00", "#56b4e9", "#009e73", "#d55e00", "#0072b2", "#cc79a7")


def read(path, numbers=NUMBERS):
    """The rows; nothing is not a number."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for key in numbers:
            row[key] = float(row[key] or "nan")
    return rows


def names(rows, key):
    return list(dict.fromkeys(row[key] for row in rows))


def bins(rows):
    """For each tenth of what was said: how many readings, the mean of what they said, and the share in time, or None."""
    found = []
    for i in range(BINS):
        inside = [row for row in rows if not math.isnan(row["pocd"]) and min(BINS - 1, int(row["pocd"] * BINS)) == i]
        found.append((len(inside), statistics.fmean(row["pocd"] for row in inside),
                      statistics.fmean(row["met"] for row in inside)) if inside else None)
    return found


def scores(rows):
    """How good the PoCDs were that were said. Reliability and resolution are Murphy's, by bins."""
    said = [row for row in rows if not math.isnan(row["pocd"])]
    base = statistics.fmean(row["met"] for row in said)
    brier = statistics.fmean((row["pocd"] - row["met"]) ** 2 for row in said)
    uncertainty = base * (1 - base)
    filled = list(filter(None, bins(said)))
    return {"forecasts": len(said), "silent": len(rows) - len(said), "base_rate": base,
            "bias": statistics.fmean(row["pocd"] for row in said) - base, "brier": brier,
            "reliability": sum(count * (mean - met) ** 2 for count, mean, met in filled) / len(said),
            "resolution": sum(count * (met - base) ** 2 for count, _, met in filled) / len(said),
            "uncertainty": uncertainty, "skill": 1 - brier / uncertainty if uncertainty else math.nan}


def plot(path, commands):
    head = ["set terminal svg size 760,560 font 'Helvetica,13' background 'white'", f"set output '{path}'",
            "set grid lc rgb '#dddddd'", "set key outside bottom center horizontal", "set border 3",
            "set tics nomirror"]
    subprocess.run(["gnuplot"], input="\n".join(head + commands), text=True, check=True)


def data(points):
    return ["\t".join(str(value) for value in point) for point in points] + ["e"]


def draw_reliability(series, title, path, least=10):
    """What was said and what came true, for names and their readings. Bins with fewer readings than `least` are left out."""
    parts, points = ["x with lines dt 2 lc rgb '#888888' title 'perfect'"], []
    for i, (name, rows) in enumerate(series):
        parts.append(f"'-' with linespoints lw 2 pt {i + 4} lc rgb '{COLOURS[i]}' title '{name}'")
        points += data((said, met) for count, said, met in filter(None, bins(rows)) if count >= least)
    plot(path, ["set xrange [0:1]", "set yrange [0:1]", "set xlabel 'predicted PoCD (mean of the bin)'",
                "set ylabel 'share of jobs that met their deadline'", f"set title '{title}'", "plot " + ", ".join(parts),
                *points])


def fill_in(page, tables):
    """Replaces what stands between '<!-- NAME -->' and '<!-- end -->'."""
    with open(page) as file:
        text = file.read()
    for name, lines in tables.items():
        block = f"<!-- {name} -->\n" + "\n".join(lines).rstrip() + "\n<!-- end -->"
        text = re.sub(rf"<!-- {name} -->\n.*?<!-- end -->", lambda _: block, text, flags=re.S)
    with open(page, "w") as file:
        file.write(text)
