#include "tests/recording/recorded_history.h"

#include <iterator>
#include <utility>

#include "master/recording/reader.h"

namespace ontime::recording::test {

namespace action = scheduler::action;
namespace event = scheduler::event;

RecordedHistory::RecordedHistory(Recorder::Options options, std::uint64_t epoch,
                                 const std::vector<scheduler::JournalRecord>& known)
    : recorder_(std::make_unique<Recorder>(std::move(options))), now_(std::chrono::hours(static_cast<long>(epoch))) {
  for (const scheduler::JournalRecord& record : known) {
    scheduler_.replay(record);
    recorder_->add_known(record);
  }
  recorder_->begin(epoch, {"a cluster", now_, std::chrono::milliseconds(200), {}});
  keep(nullptr, scheduler_.start(now_));
  for (const char* name : {"one", "two"}) {
    step(event::NodeRegistered{name, name, "host", 2});
    step(event::NodeInventory{scheduler_.cluster().node_of(name), {}});
  }
}

void RecordedHistory::step(const scheduler::Event& event) {
  now_ += std::chrono::milliseconds(37);
  keep(&event, scheduler_.step(event, now_));
}

void RecordedHistory::keep(const scheduler::Event* event, scheduler::Step step) {
  if (recorder_) recorder_->add_step(event, now_, step);
  ++steps_;
  for (const scheduler::Action& action : step.actions) {
    if (const auto* launch = std::get_if<action::LaunchAttempt>(&action)) launches_.push_back(*launch);
    if (const auto* commit = std::get_if<action::CommitOutput>(&action)) commits_.push_back(commit->job);
  }
  std::move(step.records.begin(), step.records.end(), std::back_inserter(records_));
}

void RecordedHistory::run_job(std::uint32_t tasks) {
  scheduler::JobSpec spec;
  spec.application = "wordcount";
  spec.inputs = {{"/input", 1000ull * tasks, "1", Codec::Plain}};
  spec.output = "/output";
  spec.split_bytes = 1000;
  spec.deadline = std::chrono::seconds(60);
  spec.policy = "s-resume";
  step(event::JobSubmitted{++requests_, spec});
  while (!launches_.empty()) {
    const action::LaunchAttempt launch = launches_.back();
    launches_.pop_back();
    step(event::AttemptStarted{launch.node, launch.attempt});
    step(event::Heartbeat{launch.node, {{launch.attempt, launch.range.begin + 500, 5, 50}}});
    step(event::SegmentSealed{launch.node, launch.attempt, launch.range, launch.range.end, {0, 100, 10, 7}, {}});
  }
  for (const JobId job : std::exchange(commits_, {})) step(event::CommitFinished{job, ""});
}

Contents read_all(const std::string& path) {
  Contents contents;
  auto reader = Reader::open(path);
  if (!reader) {
    contents.error = reader.error().message;
    return contents;
  }
  while (true) {
    auto entry = reader->next();
    if (!entry) contents.error = entry.error().message;
    if (!entry || !*entry) break;
    contents.entries.push_back(std::move(**entry));
  }
  contents.torn_bytes = reader->torn_bytes();
  return contents;
}

}  // namespace ontime::recording::test
