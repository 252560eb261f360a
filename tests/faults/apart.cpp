#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <functional>
#include <list>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "common/base/check.h"
#include "common/base/descriptor.h"
#include "tests/faults/cluster_run.h"

namespace ontime::lab::faults {
namespace {

std::string to_line(const Verdict& verdict) {
  std::ostringstream line;
  line << verdict.ended << ' ' << verdict.steps << ' ' << verdict.masters << ' ' << verdict.led << ' '
       << verdict.batches << ' ' << verdict.jobs << ' ' << verdict.succeeded << ' ' << newly_reached() << ' '
       << verdict.broken << '\n';
  return line.str();
}

Verdict from_line(const std::string& text) {
  std::istringstream line(text);
  Verdict verdict;
  line >> verdict.ended >> verdict.steps >> verdict.masters >> verdict.led >> verdict.batches >> verdict.jobs >>
      verdict.succeeded >> verdict.newly_reached;
  line.ignore();
  std::getline(line, verdict.broken);
  return verdict;
}

struct Child {
  pid_t process = 0;
  Descriptor result;
  std::uint64_t seed = 0;
  std::string text;
};

using Work = std::function<std::string(std::uint64_t seed)>;

Child start(std::uint64_t seed, const Work& work) {
  std::array<int, 2> ends{-1, -1};
  ONTIME_CHECK(::pipe(ends.data()) == 0, "there is room for a pipe");
  const pid_t process = ::fork();
  ONTIME_CHECK(process >= 0, "there is room for a process");
  if (process == 0) {
    begin_to_count();
    const std::string line = work(seed);
    ::_exit(::write(ends[1], line.data(), line.size()) < 0 ? 1 : 0);
  }
  ::close(ends[1]);
  return {process, Descriptor(ends[0]), seed, ""};
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status)) return std::string("the real process crashed: ") + ::strsignal(WTERMSIG(status));
  return "the real process ended with status " + std::to_string(WEXITSTATUS(status));
}

// The verdict, once it is there.
std::optional<Verdict> read_some(Child& child) {
  std::array<char, 4096> bytes;
  const ssize_t size = ::read(child.result.get(), bytes.data(), bytes.size());
  if (size > 0) {
    child.text.append(bytes.data(), static_cast<std::size_t>(size));
    return std::nullopt;
  }
  int status = 0;
  ::waitpid(child.process, &status, 0);
  if (!child.text.empty()) return from_line(child.text);
  Verdict crash;
  crash.broken = describe_end(status);
  return crash;
}

void run_all(SeedRange seeds, unsigned processes, const Work& work, const OnVerdict& on_verdict) {
  std::list<Child> children;
  std::uint64_t next = seeds.from;
  bool goes_on = true;
  while (goes_on && (next <= seeds.to || !children.empty())) {
    while (next <= seeds.to && children.size() < processes) children.push_back(start(next++, work));
    std::vector<pollfd> watched;
    for (const Child& child : children) watched.push_back({child.result.get(), POLLIN, 0});
    ::poll(watched.data(), watched.size(), -1);
    std::size_t index = 0;
    for (auto child = children.begin(); child != children.end();) {
      const auto verdict = watched[index++].revents != 0 ? read_some(*child) : std::nullopt;
      if (!verdict) {
        ++child;
        continue;
      }
      goes_on = on_verdict(child->seed, *verdict) && goes_on;
      child = children.erase(child);
    }
  }
  for (const Child& child : children) {
    ::kill(child.process, SIGKILL);
    ::waitpid(child.process, nullptr, 0);
  }
}

// The sentence without its numbers: times and names differ from run to run.
std::string kind_of(const Verdict& verdict) {
  std::string kind = verdict.broken;
  std::erase_if(kind, [](char c) { return c >= '0' && c <= '9'; });
  return kind;
}

// The faults that name later jobs go on naming them; those that named this one, or a store that nobody uses now, go
// too.
void leave_out_job(FaultPlan& plan, std::size_t job) {
  plan.submissions.erase(plan.submissions.begin() + static_cast<std::ptrdiff_t>(job));
  std::erase_if(plan.faults, [&](const Fault& fault) {
    return is_about_jobs(fault.kind) ? fault.node == job : is_about_store(fault.kind) && !plan.has_store();
  });
  for (Fault& fault : plan.faults) {
    if (is_about_jobs(fault.kind) && fault.node > job) --fault.node;
  }
}

void leave_out_fault(FaultPlan& plan, std::size_t fault) {
  plan.faults.erase(plan.faults.begin() + static_cast<std::ptrdiff_t>(fault));
}

}  // namespace

void run_apart(SeedRange seeds, unsigned processes, const OnVerdict& on_verdict) {
  run_all(
      seeds, processes, [&seeds](std::uint64_t seed) { return to_line(run(make_plan(seed, seeds.size))); }, on_verdict);
}

Verdict run_apart(const FaultPlan& plan) {
  Verdict found;
  run_all(
      {1, 1}, 1, [&plan](std::uint64_t) { return to_line(run(plan)); },
      [&found](std::uint64_t, const Verdict& verdict) {
        found = verdict;
        return true;
      });
  return found;
}

FaultPlan minimise(FaultPlan plan, const std::function<Verdict(const FaultPlan&)>& run) {
  const std::string kind = kind_of(run(plan));
  if (kind.empty()) return plan;
  bool has_shrunk = true;
  // From the end, as long as the schedule still fails.
  const auto shrink = [&](std::size_t count, std::size_t least, void (*leave_out)(FaultPlan&, std::size_t)) {
    for (std::size_t i = count; i-- > 0 && count > least;) {
      FaultPlan smaller = plan;
      leave_out(smaller, i);
      if (kind_of(run(smaller)) != kind) continue;
      plan = std::move(smaller);
      --count;
      has_shrunk = true;
    }
  };
  while (std::exchange(has_shrunk, false)) {
    shrink(plan.faults.size(), 0, leave_out_fault);
    shrink(plan.submissions.size(), 1, leave_out_job);
  }
  return plan;
}

}  // namespace ontime::lab::faults
