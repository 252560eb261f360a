"""The three applications on a cluster of containers: every answer is what a few lines of Python count, to the byte. Then
the pages, published on the loopback."""

import collections
import glob
import json
import os
import sys
import urllib.request

sys.path.insert(0, "docker/testbed")
from cluster import Failed, eventually, main_of, run, say, testbed  # noqa: E402

TEXT = "examples/text"


def words_of(path):
    with open(path, "rb") as file:
        return [word.decode() for word in file.read().split()]  # at the six blanks of the C locale, as the applications do


def all_words():
    return [word for path in sorted(glob.glob(f"{TEXT}/*")) for word in words_of(path)]


def wordcount():
    return {f"{word}\t{count}" for word, count in collections.Counter(all_words()).items()}


def wordmean():
    words = all_words()
    length = sum(len(word.encode()) for word in words)
    return {f"count\t{len(words)}", f"length\t{length}", f"mean\t{length / len(words):.17g}"}


def termvector():
    lines = set()
    for path in glob.glob(f"{TEXT}/*"):
        counts = collections.Counter(words_of(path)).items()
        terms = sorted(counts, key=lambda term: (-term[1], term[0].encode()))
        lines.add(os.path.basename(path) + "\t" + " ".join(f"{word}:{count}" for word, count in terms))
    return lines


def expect_answer(application, expected):
    def check(cluster):
        output = f"/data/answers/{application}"
        job = cluster.wait(cluster.submit(application, cluster.put_text(), output, "--splits", "24"))
        cluster.expect_whole(output)
        answer = cluster.ontime("result", output).splitlines()
        if len(answer) != len(set(answer)) or set(answer) != expected():
            raise Failed(f"the answer of {application} is wrong")
        nodes = {attempt["node"] for task in job["task_list"] for attempt in task["attempts"]}
        if len(nodes) < 2:  # a busy machine may leave one of the four behind
            raise Failed(f"{application} ran on {len(nodes)} nodes only")
        say(f"    {application}: {len(answer)} lines from {job['tasks']} tasks on {len(nodes)} nodes")
    return check


def published_ports(cluster):
    """"80/tcp -> 127.0.0.1:32768" of every container of the cluster, by service."""
    services = ("master", "worker", "client", "web")
    ports = {name: [run("docker", "port", one).strip() for one in cluster.containers(name)] for name in services}
    return {name: [text for text in texts if text] for name, texts in ports.items()}


def pages(cluster):
    ports = published_ports(cluster)
    web = ports.pop("web")
    if any(ports.values()) or len(web) != 1 or not web[0].startswith("7480/tcp -> 127.0.0.1:"):
        raise Failed(f"the web port alone is to be published, on the loopback: {web} {ports}")
    address = "http://" + web[0].split(" -> ")[1]

    def get(path):
        try:
            with urllib.request.urlopen(address + path, timeout=10) as response:
                return response.read().decode()
        except OSError:
            return ""

    eventually("the pages are ready", lambda: get("/readyz").startswith("ready: 4 live workers"))
    jobs = json.loads(get("/api/jobs"))["jobs"]
    if not jobs or not get("/").startswith("<!DOCTYPE html>") or "ontime_up 1" not in get("/metrics"):
        raise Failed("the pages are not what they should be")
    say(f"    {address} shows {len(jobs)} jobs; nothing else is published")


if __name__ == "__main__":
    testbed("up", "--workers", "4", "--slots", "2", "--master", "--inject pace=300ms")
    answers = {one.__name__: expect_answer(one.__name__, one) for one in (wordcount, wordmean, termvector)}
    sys.exit(main_of({**answers, "pages": pages}, sys.argv[1:]))
