"""Files are opened and changed through common/files/disk.h: there faults are injected, and nothing else is.

What may call the system directly is listed with how often. Everything else must not, so that no new write escapes the
tests with full disks, broken disks and power cuts.
"""

import re

import source_tree

FOLDERS = ("apps/", "cli/", "common/", "master/", "scheduler/", "worker/")

# The number of direct calls of a file, and why they stay.
ALLOWED = {
    "common/files/disk.cpp": 9,  # the seam itself
    "common/files/temporary_directory.cpp": 1,  # mkdtemp
    "common/base/kill_point.cpp": 1,  # makes the mark of a test
    "apps/exec/command.cpp": 1,  # /proc/self/fd, of a pipe
    "cli/job_request.cpp": 2,  # removes what a job has left
    "cli/result/folding.cpp": 1,  # mkostemp of a file without a name
    "worker/agent/runners/shared_progress.cpp": 1,  # ftruncate of shared memory
    "worker/confine/confinement.cpp": 1,  # the kernel's cgroup file
    "worker/runner/runner_process.cpp": 1,  # /dev/null
}

_NAMES = ("creat|open|open64|openat|fopen|mkostemp|mkstemp|mkdtemp|rename|renameat|renameat2|unlink|unlinkat|rmdir|mkdir|"
          "mkdirat|link|linkat|symlink|symlinkat|fsync|fdatasync|ftruncate|truncate|fallocate|copy_file_range|pwrite")
# Members and functions of the project have some of these names too; the system's are called by `::` or with its flags.
_CALLS = re.compile(
    rf"(?<![\w>)])(?:std)?::(?:{_NAMES})\s*\("
    r"|(?<![\w:.>])(?:openat|fopen|mkostemp|mkstemp|mkdtemp|unlink|unlinkat|rmdir|mkdirat|symlink|fsync|fdatasync|"
    r"ftruncate|copy_file_range|pwrite)\s*\("
    r"|(?<![\w:.>])open\s*\([^;]*\bO_[A-Z]"
    r"|\bstd::(?:basic_)?o?fstream\b"
    r"|\b(?:fs|filesystem)::(?:create_\w+|rename|remove|remove_all|resize_file|copy|copy_file)\s*\(")


def calls_in(source):
    # Inside of its own namespace the seam's open() needs no name before it.
    is_seam = source.path.startswith("common/files/")
    return [match for match in _CALLS.finditer(source.code) if not (is_seam and match[0].startswith("open"))]


def check(sources):
    wrong = []
    for source in sources:
        if not source.is_cpp or not source.path.startswith(FOLDERS):
            continue
        calls = calls_in(source)
        allowed = ALLOWED.get(source.path, 0)
        if len(calls) > allowed:
            places = ", ".join(f"{call[0].split('(')[0].strip()} in line {source.line_of(call.start())}" for call in calls)
            wrong.append(f"{source.path}: {len(calls)} calls change files past common/files/disk.h, {allowed} may: {places}")
        elif len(calls) < allowed:
            wrong.append(f"{source.path}: has only {len(calls)} direct calls left; lower its number in check_disk.py")
    return wrong


def _planted(line, path="master/x.cpp"):
    return (path, "namespace ontime::master {\n" + line + "\n}\n")


BAD = [_planted(line) for line in (
    "int file = ::open(path.c_str(), O_RDONLY);",
    "const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT, 0644));",
    "Descriptor(::openat(directory, name.c_str(), flags))",
    "if (::fsync(file.get()) != 0) return;",
    "if (std::rename(from, to) != 0) return;",
    "static_cast<void>(!::pwrite(file, data, size, 0));",
    "std::ofstream file(path);",
    "std::filesystem::create_directories(directory, error);",
    "fs::rename(from, to, error);",
    "unlink(path.c_str());",
)] + [_planted("::mkdir(path, 0700);", "worker/agent/runners/job_resources.cpp"[:-4] + "_more.cpp"),
      _planted("int x;", "common/base/kill_point.cpp"),
      _planted("::open(a, O_RDONLY);\n::open(b, O_RDONLY);", "common/base/kill_point.cpp")]

GOOD = [_planted(line) for line in (
    "const Descriptor file = files::open(path, O_RDONLY | O_CLOEXEC);",
    "files::rename(from, to);",
    "auto journal = RocksdbJournal::open(directory, {});",
    "auto opening = open(options.endpoint, options.token);",
    "// ::open(path, O_RDONLY)",
    "return store.rename(from, to);",
    "std::ifstream file(path);",
)] + [_planted("::fsync(1);", "tests/x.cpp"), _planted("open(path, O_RDONLY);", "common/files/x.cpp"),
      _planted("::open(a, O_RDONLY);", "common/base/kill_point.cpp")]

if __name__ == "__main__":
    source_tree.main(check, BAD, GOOD)
