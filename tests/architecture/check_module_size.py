"""A module has no more lines than it had. A change that raises a number says why, behind it."""

import collections

import source_tree

# Comments and all. Aims: 9,000 for lab; 60,000 for apps, cli, common, master, scheduler and worker together.
LINES_MAX = {
    # aggregate (+1,775), grep (+646) and each (+1,126), records framed for commands (+110), what commands and jobs learn of each other (+60), a
    # directory for each command (+130), rows that are alike aggregated in few instructions (+520), values that are refused when they are
    # written, who holds an output open (+140), numbers read four at a time (+70)
    "apps": 9290,
    # Names of inputs in a file, patterns of what is left out, files of this process only (+125), compressed parts (+190), notices (+310), lists of
    # values, what a job of each is given, counters of the summary (+274), how late jobs are, deadlines by the clock, names of jobs, a full-screen
    # view, tables and help in a terminal's width (+965), tasks of a job page by page (+75)
    "cli": 13475,
    # Ten formats of records (+870) and their interface for applications (+215); ways to the keys of AWS (+360); redirects, files
    # without a size and small ones (+330); part files compressed and named (+255); JSON and WARC that are divided (+400); clock times and
    # terminals (+165), base64 and files for TLS (+55), where Python is (+45), gamma and Weibull distributions, histograms (+190), how
    # busy a machine is (+160), small requests of a worker (+40)
    "common": 17500,
    # whole traces, and the verb that makes them of logs (+130), a bound that no policy can exceed: what a job costs, and how many are in
    # time (+550), runs of studies that are kept as they end, jobs of them as rows (+520), nodes whose slowness changes, deadlines that are
    # drawn, days, histograms (+240), nodes that come and go as slots are wanted (+175)
    "lab": 12210,
    # What is excluded or skipped of the inputs, and why (+240), formats that are none of text (+106), how parts are called and stored (+25),
    # notices (+660), what a job was (+26), policies of one's own (+270), what outlives the master of ended jobs (+640), a
    # journal in etcd (+1,570), masters that follow (+380), policies in processes of their own: what they see, their plans, their
    # messages (+920), files whose records plainly are no lines (+200), texts and tasks that are done for policies in processes of their own
    # (+70), a policy in C++ that never returns (+230), journals read ahead (+160), signals while a master follows, and what may become of a
    # lead in etcd (+200), launches and seals read without protobuf, and a batch's in one entry (+335)
    "master": 20910,
    # records as fields, values and objects; lines that are written; row groups of Parquet (+110); answers read many lines at a time (+82)
    "python/ontime": 2848,
    # readers of eight formats of logs (+1,315), pages that are dark at night and fit phones, one job under all policies (+26), policies in Python,
    # an environment to learn them in, simulations and plans as data frames (+645), claims of papers, rows beside those of a page
    # (+50), the league, and how far the bound is in it (+295), by what pages were made (+88)
    "python/ontime/lab": 4415,
    # forecasts know nodes and records (+317), ends, clones and divisions are weighed (+171), corrupt inputs are left out (+97), six
    # baselines of other engines (+586), policies of one's own (+225),
    # slots that deadlines need (+300), workers that know their end (+170), quiet tasks that are not looked at again (+165), corrupt
    # inputs whose tasks end at once (+100), starts and processes that stay in forecasts (+60), tasks that are made late (+30),
    # slots that come late, attempts that are begun anew in their slots, and speeds that will be drawn anew (+180),
    # looks at what has changed only (+190)
    "scheduler": 21000,
    # the loop that simulated machines run too (+30), records of any format (+80), compressed files in groups (+20), marks of records
    # (+130), compressed parts (+90), time limits and notices that the machine ends (+150), of three clouds (+135)
    "worker": 9905,
}
SLACK = 0.01  # within which a change need not touch this file


def _module_of(path):
    """The innermost module that the file is in; empty if it is in none."""
    return max((module for module in LINES_MAX if path.startswith(module + "/")), key=len, default="")


def check(sources):
    lines = collections.Counter()
    for source in sources:
        lines[_module_of(source.path)] += source.text.count("\n")
    wrong = []
    for module, most in LINES_MAX.items():
        if lines[module] > most * (1 + SLACK):
            wrong.append(f"{module}: {lines[module]} lines, more than {most}; remove as many, or raise the number here and say why")
        elif lines[module] and lines[module] < most * (1 - 3 * SLACK):
            wrong.append(f"{module}: {lines[module]} lines, far fewer than {most}; lower the number here")
    return wrong


BAD = [("worker/x.cpp", "int x;\n" * 50_000), ("python/ontime/lab/x.py", "x = 1\n" * 50_000), ("scheduler/core/x.h", "int x;\n")]
GOOD = [("tests/x.cpp", "int x;\n" * 100_000), ("lab/x.h", "int x;\n" * LINES_MAX["lab"])]

if __name__ == "__main__":
    source_tree.main(check, BAD, GOOD)
