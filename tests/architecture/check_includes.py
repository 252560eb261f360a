"""Which folder may include which, and which libraries: the architecture as a table.

Tests may include anything, but for what judges fault schedules. Everything else names its project headers from the root
and stays within its row. No folders include each other in a circle.
"""

import re

import source_tree

# The longest matching folder of a file decides. First: other folders of the project (itself is always allowed).
# Second: libraries, by the first part of the header's name; of the system's own headers all may be included.
ALLOWED = {
    "common/base": ([], []),
    "common/flags": (["common/base"], ["CLI"]),
    "common/hash": (["common/base"], ["openssl"]),
    "common/http": (["common/base"], ["curl", "asio", "boost/beast", "openssl"]),
    "common/s3": (["common/http", "common/hash", "common/base"], ["pugixml.hpp", "boost/property_tree", "nlohmann"]),
    "common/hdfs": (["common/http", "common/hash", "common/base"], ["nlohmann", "openssl"]),
    "common/store": (["common/s3", "common/hdfs", "common/http", "common/base"], []),
    "common/files": (["common/http/url.h", "common/store/name.h", "common/base"], []),
    "common/log": (["common/files/disk.h", "common/base"], ["spdlog", "fmt", "nlohmann"]),
    "common/app": (["common/base"], []),
    "common/records": (["common/app", "common/base"], []),
    "common/frames": (["common/base"], ["zlib.h", "zstd.h"]),
    "common/output": (["common/files", "common/hash", "common/base"], ["nlohmann"]),
    "common/protocol": (["common/base"], ["google"]),
    "common/injection": (["common/protocol", "common/base"], ["yaml-cpp"]),
    "common/net": (["common/protocol", "common/log", "common/hash", "common/base"], ["asio", "spdlog", "google", "openssl"]),
    "scheduler": (["common/base"], ["boost/math"]),
    "master/journal": (["scheduler", "common/protocol", "common/files", "common/http", "common/store/network.h", "common/net/masters.h", "common/hash", "common/base", "common/log"],
                       ["rocksdb", "nlohmann", "spdlog", "google", "boost/preprocessor"]),
    "master/recording": (["scheduler", "master/journal/record_codec.h", "master/journal/report_fields.h", "master/journal/stored_fields.h", "common/protocol", "common/files", "common/base"],
                         ["zstd.h", "google"]),
    # The master's rooms, lower ones first. Nothing but its root sees all of them.
    "master/base": (["scheduler/core/history.h", "scheduler/core/job_spec.h", "scheduler/core/record.h", "scheduler/core/resource_manager.h", "common/net",
                     "common/injection", "common/files", "common/base"], ["asio"]),
    "master/mounts": (["common/files", "common/log", "common/base"], ["asio", "spdlog"]),
    "master/inputs": (["scheduler/core/job_spec.h", "master/base", "master/mounts/file_system.h", "common/store", "common/http", "common/hash",
                       "common/files", "common/records", "common/app/record_format.h", "common/base"], ["asio", "lzma.h", "zlib.h"]),
    "master/outputs": (["scheduler/core/action.h", "scheduler/core/event.h", "master/base", "master/mounts", "common/output", "common/store",
                        "common/http", "common/files", "common/log", "common/base"], ["fmt", "spdlog"]),
    # They carry out what was decided, and know nothing of the cluster.
    "master/actions": (["scheduler/core/action.h", "scheduler/core/job_spec.h", "scheduler/core/record.h", "master/base", "master/journal/job_fields.h",
                        "master/inputs/index_store.h", "master/outputs", "common/output", "common/protocol", "common/net", "common/base"], ["asio"]),
    "master/loop": (["scheduler/core", "master/actions/action_performer.h", "master/base", "master/journal/journal.h",
                     "master/recording/recorder.h", "common/log", "common/base"], ["asio", "spdlog"]),
    "master/submissions": (["scheduler", "master/base", "master/journal/job_fields.h", "master/inputs", "master/outputs", "master/actions/submit_answers.h",
                            "master/mounts/file_work.h", "master/loop", "common/records",
                            "common/protocol", "common/store", "common/http/url.h", "common/files", "common/injection", "common/log", "common/base"], ["asio", "spdlog"]),
    "master/workers": (["scheduler/core/event.h", "master/base", "master/actions", "master/inputs/index_store.h", "master/journal/report_fields.h", "master/loop",
                        "master/outputs/attempt_logs.h", "common/protocol", "common/net", "common/log", "common/base"], ["asio", "spdlog"]),
    "master/history": (["scheduler", "master/base", "master/outputs/attempt_logs.h", "master/recording/block.h", "common/protocol", "common/files",
                        "common/log", "common/base"], ["asio", "spdlog", "google"]),
    "master/clients": (["scheduler", "master/base", "master/history", "master/inputs/index_store.h", "master/journal/sample_fields.h", "master/loop",
                        "master/outputs/attempt_logs.h", "master/submissions", "common/protocol", "common/net", "common/log", "common/base"],
                       ["asio", "spdlog"]),
    "master/notices": (["scheduler/core", "master/base", "master/clients", "master/loop", "master/submissions/notify.h", "common/protocol",
                        "common/log", "common/base"], ["asio", "spdlog"]),
    # Policies of one's own, for the programs that plan with them.
    "master/policies": (["scheduler", "common/app/loaded_application.h", "common/base", "common/files/disk.h"], ["nlohmann"]),
    "master/advice": (["scheduler", "master/base", "master/actions/application_link.h", "master/loop", "master/outputs/attempt_logs.h",
                       "master/submissions", "common/protocol", "common/net", "common/log", "common/base"], ["asio", "spdlog"]),
    "master": (["scheduler", "master", "common"], ["asio", "spdlog"]),
    "worker/data": (["common/base", "common/files", "common/frames", "common/hash", "common/http", "common/store", "common/app", "common/records"],
                    ["zlib.h", "zstd.h", "lzma.h", "bzlib.h"]),
    # The process that attempts run in starts in a millisecond because it loads so little.
    "worker/runner": (["worker/data", "worker/confine", "worker/progress_block.h", "worker/segment_marks.h", "common/store/network.h", "common/injection", "common/protocol",
                       "common/app", "common/records", "common/files", "common/base"], ["google"]),
    # The agent's rooms, lower ones first.
    "worker/agent/session": (["common/net", "common/protocol", "common/log", "common/base"], ["asio", "spdlog", "google"]),
    "worker/agent/runners": (["worker/agent/session/outboxes.h", "worker/confine", "worker/progress_block.h", "common/net", "common/protocol",
                              "common/files", "common/log", "common/hash", "common/base"], ["asio", "spdlog"]),
    "worker/agent/attempts": (["worker/agent/session", "worker/agent/runners", "worker/confine", "worker/claim_word.h", "worker/segment_marks.h",
                               "common/protocol", "common/injection", "common/store", "common/files", "common/log", "common/base"],
                              ["asio", "spdlog"]),
    "worker/agent": (["worker/agent", "worker/confine", "common/net", "common/app", "common/flags", "common/files", "common/log",
                      "common/http/ask.h", "common/http/url.h", "common/store", "common/base"], ["asio", "spdlog", "nlohmann"]),
    "worker/confine": (["common/files", "common/base"], []),
    "worker": (["common/base"], []),
    "apps": (["common/app"], []),
    "apps/exec": (["common/app", "apps/text/switch.h", "common/files/disk.h", "common/files/file_system.h", "common/base/descriptor.h", "common/base/environment.h",
                   "common/base/units.h"], []),
    "apps/each": (["apps/exec/command.h", "common/app", "common/base", "common/files"], []),
    "apps/aggregate": (["common/app", "apps/text"], ["simdjson.h"]),
    "apps/grep": (["common/app", "apps/text"], ["re2"]),
    "apps/gen": (["common/app", "common/base"], ["zlib.h"]),
    "lab": (["scheduler", "common/flags", "common/hash", "common/injection", "common/log", "common/base"], ["spdlog", "fmt", "nlohmann", "CLI", "yaml-cpp"]),
    # The audit's own view of what is right: of what ships it sees formats and clients only.
    "tests/faults": (["tests/machines", "tests/model/fact_model.h", "tests/model/traces.h", "lab/scenario", "lab/results/writing.h", "scheduler", "master/journal", "master/recording", "cli/client", "common/protocol", "common/flags", "common/base"],
                   ["CLI", "spdlog", "nlohmann", "zlib.h"]),
    "tests/faults/app": (["common/app"], []),
    # Experiments run on processes too. Jobs are described by the master's own code. The lab reads messages and records, and
    # no text that is made for people (cli/show): that is what its verbs write.
    "lab/experiment": (["lab", "cli/client", "cli/cluster", "cli/commands/execute.h", "cli/job_request.h", "cli/text_file.h", "cli/verify",
                        "apps/gen", "scheduler", "master/clients/views.h", "master/clients/explanation.h", "master/inputs/input_content.h",
                        "common"], ["yaml-cpp", "nlohmann", "google", "fmt"]),
    "lab/verbs": (["lab", "cli/client", "cli/cluster", "cli/commands/execute.h", "cli/application_check.h", "cli/arguments.h", "cli/command.h",
                   "cli/command_line.h", "cli/job_request.h", "cli/lab_verbs.h", "cli/result/part_file.h", "cli/show/progress_line.h",
                   "cli/show/table.h", "cli/spooled_input.h", "cli/text_file.h", "cli/web/report_page.h", "scheduler", "master/policies", "master/recording",
                   "master/journal/sample_fields.h", "master/clients/views.h", "master/clients/explanation.h", "master/clients/overview.h",
                   "common"], ["nlohmann", "CLI", "fmt"]),
    "cli/web": (["cli/client", "cli/show", "common"], ["asio", "google", "openssl", "prometheus", "zlib.h"]),
    "cli/certs": (["common/net/token.h", "common/files", "common/base"], ["openssl"]),
    "cli": (["cli/web", "cli/certs", "apps/gen", "common", "master/recording", "master/inputs/input_listing.h",
             "master/inputs/input_pattern.h", "master/submissions/notify.h", "scheduler/policies"],
            ["asio", "spdlog", "fmt", "google", "CLI", "nlohmann"]),
}

# Protobuf's types stay at the edges: only these may include generated headers.
WIRE_FOLDERS = ("common/protocol", "common/net", "master/actions", "master/advice", "master/clients", "master/history", "master/notices", "master/submissions", "master/workers",
                "worker/agent", "worker/runner", "lab/experiment", "lab/verbs", "cli")
WIRE_FILES = ("master/journal/frequent_records", "master/journal/job_fields", "master/journal/record_codec", "master/journal/report_fields", "master/journal/stored_fields", "master/recording/entry_codec", "common/injection/wire",
              "tests/faults/masters", "tests/faults/outputs")

# Modules some of whose own folders still include each other in a circle.
HAVE_CIRCLES = ("scheduler", "cli", "lab")

# What performs actions may not see the live cluster, not even through another header or its source: it is ahead of the actions.
PERFORMERS = ("master/actions", "master/outputs", "scheduler/core/action.h")
LIVE = ("scheduler/core/cluster.h", "scheduler/core/scheduler.h", "master/loop/control_loop.h")
# Behind a function could be anything, so a performer is given none, but what is counted here.
FUNCTIONS = {"master/actions/action_dispatcher.h": 2}  # where an attempt may start to read, and what it does then

SYSTEM_FOLDERS = ("sys", "netinet", "arpa", "net", "linux")
LIBRARY_FILES = ("zlib.h", "zstd.h", "httplib.h", "pugixml.hpp")  # libraries whose headers stand beside the system's
PURE_FOLDERS = ("scheduler",)         # the C++ library only, nothing of the operating system

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


def _is_within(path, folder):
    return path == folder or path.startswith(folder + "/")


def _is_free(path):
    """A test, which may include anything."""
    return path.startswith("tests/") and (path.endswith("_test.cpp") or _is_within(path, "tests/faults/planted") or _row_of(path) is None)


def _row_of(path):
    fitting = [folder for folder in ALLOWED if _is_within(path, folder)]
    return max(fitting, key=len) if fitting else None


def _project_fault(path, row, header):
    """Why a project header may not be included there; None if it may."""
    if not header.startswith(tuple(folder + "/" for folder in source_tree.FOLDERS)):
        return "is not named from the root of the project"
    if header.endswith(".pb.h"):
        stem = path.rsplit(".", 1)[0]
        if not path.startswith(tuple(folder + "/" for folder in WIRE_FOLDERS)) and stem not in WIRE_FILES:
            return "is a message of the wire, which ends at the sessions and codecs"
    if _row_of(header) != row and not any(_is_within(header, folder) for folder in ALLOWED[row][0]):
        return f"is none of those that {row} may use"
    return None


def _library_fault(row, header):
    """Why a library's header may not be included in this row; None if it may."""
    first = header.split("/")[0]
    if any(_is_within(header, library) for library in ALLOWED[row][1]):
        return None
    if "/" in header and first not in SYSTEM_FOLDERS or header in LIBRARY_FILES or header.startswith("asio"):
        return f"belongs to a library that {row} may not use"
    if row in PURE_FOLDERS and ("/" in header or header.endswith(".h")):
        return f"belongs to the operating system, of which {row} knows nothing"
    return None


def _project_headers(source):
    return [match[2] for match in _INCLUDE.finditer(source.uncommented) if match[1] == '"']


def _performer_faults(sources):
    """Performers of actions from which the live cluster can be reached, with the way there."""
    headers = {source.path: _project_headers(source) for source in sources}
    wrong = []
    for path in headers:
        if not any(_is_within(path, performer) for performer in PERFORMERS):
            continue
        ways = [[path]]
        seen = {path}
        while ways:
            way = ways.pop()
            if way[-1] in LIVE:
                wrong.append(f"{' -> '.join(way)}: a performer of actions sees the live cluster, which is ahead of them")
                continue
            behind = [way[-1][:-2] + ".cpp"] if way[-1].startswith("master/") and way[-1].endswith(".h") else []
            new = [other for other in [*headers.get(way[-1], ()), *behind] if other not in seen]
            seen.update(new)
            ways += [way + [other] for other in new]
    return wrong


def _function_faults(source):
    """Performers elsewhere than where they are looked at, or that are given functions."""
    wrong = []
    if source.path.startswith("master/actions/"):
        functions = len(re.findall(r"\bstd::function\b", source.code))
        if functions != FUNCTIONS.get(source.path, 0):
            wrong.append(f"{source.path}: {functions} functions, {FUNCTIONS.get(source.path, 0)} may be: what a performer calls "
                         "is named by its type, so that this test can follow it to the live cluster")
    elif source.path.startswith("master/"):
        wrong += [f"{source.path}:{source.line_of(match.start())}: a performer of actions stands in master/actions"
                  for match in re.finditer(r"\bpublic\s+ActionPerformer\b", source.code)]
    return wrong


def _circle_faults(sources):
    """Folders that include each other, with the first circle found through each."""
    below = {}
    for source in sources:
        if not source.is_cpp or source.path.startswith("tests/"):
            continue
        folder = source.path.rsplit("/", 1)[0]
        for header in _project_headers(source):
            other = header.rsplit("/", 1)[0]
            inside = folder.split("/")[0]
            if other != folder and not (inside in HAVE_CIRCLES and other.split("/")[0] == inside):
                below.setdefault(folder, {}).setdefault(other, f"{source.path} includes {header}")
    wrong = []
    for start in below:
        ways = [[start]]
        seen = set()
        while ways:
            way = ways.pop()
            for other in below.get(way[-1], {}):
                if other == start:
                    steps = zip(way, way[1:] + [start])
                    wrong.append(f"{start} is in a circle: " + ", ".join(below[one][next_one] for one, next_one in steps))
                    ways = []
                    break
                if other not in seen:
                    seen.add(other)
                    ways.append(way + [other])
    return wrong


def check(sources):
    wrong = _performer_faults(sources) + _circle_faults(sources)
    wrong += [f"{source.path}: uses private parts of httplib" for source in sources if source.is_cpp and "httplib::detail" in source.code]
    for source in sources:
        wrong += _function_faults(source)
    for source in sources:
        if not source.is_cpp or _is_free(source.path):
            continue
        row = _row_of(source.path)
        if row is None:
            wrong.append(f"{source.path}: its folder has no row in the table of allowed includes")
            continue
        for match in _INCLUDE.finditer(source.uncommented):
            is_project, header = match[1] == '"', match[2]
            fault = _project_fault(source.path, row, header) if is_project else _library_fault(row, header)
            if fault:
                line = source.uncommented.count("\n", 0, match.start(1)) + 1
                wrong.append(f"{source.path}:{line}: {header} {fault}")
    return wrong


BAD = [
    ("scheduler/x.cpp", '#include "common/log/log.h"\n'),
    ("scheduler/x.cpp", '#include "common/protocol/types.pb.h"\n'),
    ("scheduler/x.cpp", '#include "master/base/clock.h"\n'),
    ("scheduler/x.h", "#include <asio/ip/tcp.hpp>\n"),
    ("scheduler/x.h", "#include <asio.hpp>\n"),
    ("scheduler/x.h", "#include <unistd.h>\n"),
    ("scheduler/x.h", "#include <sys/time.h>\n"),
    ("scheduler/policies/x.h", "#include <boost/asio.hpp>\n"),
    ("scheduler/x.cpp", "  #  include <spdlog/spdlog.h>\n"),
    ("common/base/x.h", '#include "common/log/log.h"\n'),
    ("common/base/x.h", '#include "scheduler/core/event.h"\n'),
    ("common/base/x.h", "#include <asio/buffer.hpp>\n"),
    ("common/app/x.h", '#include "common/protocol/frame.h"\n'),
    ("common/app/x.h", '#include "common/protocol/types.pb.h"\n'),
    ("common/output/x.cpp", '#include "common/protocol/types.pb.h"\n'),
    ("common/protocol/x.h", '#include "common/net/connection.h"\n'),
    ("common/net/x.h", '#include "worker/progress_block.h"\n'),
    ("common/injection/draw.cpp", '#include "common/protocol/injection.pb.h"\n'),
    ("common/net/x.h", '#include "common/injection/injection.h"\n'),
    ("common/new_folder/x.h", "int x;\n"),
    ("worker/agent/x.cpp", '#include "scheduler/core/event.h"\n'),
    ("worker/agent/x.cpp", "#include <rocksdb/db.h>\n"),
    ("worker/agent/x.cpp", '#include "worker/data/record_reader.h"\n'),
    ("worker/x.h", '#include "worker/agent/attempts/slots.h"\n'),
    ("worker/runner/x.cpp", "#include <asio/write.hpp>\n"),
    ("worker/runner/x.cpp", '#include "worker/agent/attempts/slots.h"\n'),
    ("worker/data/x.cpp", '#include "common/protocol/types.pb.h"\n'),
    ("worker/agent/x.cpp", '#include "common/output/manifest.h"\n'),
    ("master/x.cpp", '#include "worker/progress_block.h"\n'),
    ("master/x.cpp", "#include <rocksdb/db.h>\n"),
    ("master/loop/control_loop.cpp", '#include "common/protocol/control.pb.h"\n'),
    ("master/journal/journal.h", '#include "master/journal/records.pb.h"\n'),
    ("master/journal/x.cpp", '#include "master/master.h"\n'),
    ("apps/x/x.cpp", '#include "common/base/ids.h"\n'),
    ("apps/x/x.cpp", '#include "worker/progress_block.h"\n'),
    ("apps/x/x.cpp", "#include <nlohmann/json.hpp>\n"),
    ("lab/simulator/x.cpp", '#include "master/master.h"\n'),
    ("lab/simulator/x.cpp", '#include "common/protocol/types.pb.h"\n'),
    ("cli/x.cpp", '#include "scheduler/core/scheduler.h"\n'),
    ("cli/x.cpp", '#include "master/base/clock.h"\n'),
    ("cli/x.cpp", '#include "lab/scenario/scenario.h"\n'),
    ("lab/simulator/x.cpp", '#include "lab/verbs/command.h"\n'),
    ("master/inputs/x.cpp", '#include "master/loop/control_loop.h"\n'),
    ("master/outputs/x.h", '#include "master/submissions/submissions.h"\n'),
    ("master/actions/x.cpp", '#include "master/loop/control_loop.h"\n'),
    ("master/workers/x.cpp", '#include "master/clients/views.h"\n'),
    ("master/loop/x.cpp", '#include "master/master.h"\n'),
    ("master/base/x.h", '#include "common/protocol/client.pb.h"\n'),
    ("worker/agent/session/x.h", '#include "worker/agent/attempts/slots.h"\n'),
    ("worker/agent/runners/x.cpp", '#include "worker/agent/attempts/attempt.h"\n'),
    [("apps/a/x.h", '#include "apps/b/x.h"\n'), ("apps/b/x.h", '#include "apps/c/x.h"\n'), ("apps/c/x.cpp", '#include "apps/a/x.h"\n')],
    ("tests/faults/x.cpp", '#include "master/master.h"\n'),
    ("tests/faults/app/x.cpp", '#include "tests/faults/outputs.h"\n'),
    ("lab/simulator/x.cpp", '#include "tests/machines/world.h"\n'),
    ("lab/experiment/x.cpp", '#include "cli/show/job_text.h"\n'),
    ("lab/verbs/x.cpp", '#include "cli/show/explain_text.h"\n'),
    ("master/x.cpp", '#include "clock.h"\n'),
    ("master/x.cpp", '#include "../scheduler/core/event.h"\n'),
    ("master/actions/action_dispatcher.cpp", '#include "scheduler/core/cluster.h"\n'),
    ("master/actions/worker_link.cpp", '#include "scheduler/core/scheduler.h"\n'),
    ("scheduler/core/action.h", '#include "scheduler/core/cluster.h"\n'),
    [("master/actions/x.cpp", '#include "master/base/settings.h"\n'), ("master/base/settings.h", '#include "scheduler/core/history.h"\n'),
     ("scheduler/core/history.h", '#include "scheduler/core/cluster.h"\n')],
    [("master/outputs/x.h", '#include "master/mounts/x.h"\n'), ("master/mounts/x.cpp", '#include "scheduler/core/cluster.h"\n')],
    ("master/actions/x.h", "struct Outlets {\n  std::function<void()> find_start;\n};\n"),
    ("master/master.h", "class Master : public ActionPerformer {};\n"),
    ("tests/hdfs/x_test.cpp", "httplib::detail::close_socket(socket);\n"),
]

GOOD = [
    ("scheduler/x.cpp", '#include "scheduler/core/event.h"\n#include "common/base/ids.h"\n#include <map>\n'),
    ("scheduler/math/x.cpp", "#include <boost/math/quadrature/gauss.hpp>\n"),
    ("scheduler/x.cpp", '// #include "common/log/log.h"\n/*\n#include <asio.hpp>\n*/\n'),
    ("common/net/x.h", '#include "common/protocol/control.pb.h"\n#include <asio/awaitable.hpp>\n#include <sys/socket.h>\n'),
    ("master/main.cpp", '#include "master/journal/journal.h"\n#include "common/log/log.h"\n'),
    ("master/workers/worker_session.cpp", '#include "common/protocol/control.pb.h"\n#include "scheduler/core/event.h"\n'),
    ("master/actions/action_dispatcher.cpp", '#include "scheduler/core/action.h"\n'),
    ("scheduler/core/action.cpp", '#include "scheduler/core/cluster.h"\n'),
    ("master/journal/record_codec.cpp", '#include "master/journal/records.pb.h"\n#include "scheduler/core/record.h"\n'),
    ("worker/runner/x.cpp", '#include "worker/data/x.h"\n#include "worker/progress_block.h"\n#include <unistd.h>\n'),
    ("worker/data/x.cpp", "#include <zlib.h>\n"),
    ("apps/x/x.cpp", '#include "common/app/application.h"\n#include "apps/text/words.h"\n#include <immintrin.h>\n'),
    ("cli/x.cpp", '#include "common/protocol/client.pb.h"\n#include <CLI/CLI.hpp>\n'),
    [("apps/a/x.h", '#include "apps/b/x.h"\n'), ("apps/b/x.h", '#include "apps/c/x.h"\n'), ("apps/a/x.cpp", '#include "apps/c/x.h"\n')],
    ("tests/faults/x_test.cpp", '#include "master/master.h"\n'),
    ("tests/x/x.cpp", '#include "scheduler/core/event.h"\n#include "worker/data/x.h"\n#include <asio.hpp>\n'),
]

if __name__ == "__main__":
    source_tree.main(check, BAD, GOOD)
