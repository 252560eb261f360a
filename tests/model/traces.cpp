#include "tests/model/traces.h"

#include <variant>
#include <vector>

#include "master/recording/block.h"
#include "master/recording/reader.h"
#include "tests/model/fact_model.h"

namespace ontime::model {
namespace {

class Follower {
 public:
  explicit Follower(Trace& trace) : trace_(trace) {}

  void operator()(const recording::Header&) { model_.forget(); }
  void operator()(const scheduler::JournalRecord& known) { model_.follow(known, true); }
  void operator()(const recording::End&) {}
  void operator()(const recording::RecordedStep& step) {
    std::vector<scheduler::JournalRecord> records;
    for (const std::string& bytes : step.records) {
      auto record = recording::decode_step_record(bytes);
      if (!record) return complain(record.error().message);
      records.push_back(std::move(*record));
    }
    model_.step(step.event ? &*step.event : nullptr, step.at, records);
    ++trace_.steps;
    trace_.facts += records.size();
    if (!model_.broken().empty()) complain(model_.broken());
  }

 private:
  void complain(const std::string& wrong) {
    if (trace_.broken.empty()) trace_.broken = "step " + std::to_string(trace_.steps) + ": " + wrong;
  }

  Trace& trace_;
  FactModel model_;
};

}  // namespace

Trace check_recording(const std::string& path) {
  Trace trace;
  auto reader = recording::Reader::open(path);
  if (!reader) return {"", reader.error().message};
  Follower follower(trace);
  while (trace.broken.empty()) {
    auto entry = reader->next();
    if (!entry) trace.unread = entry.error().message;
    if (!entry || !*entry) break;
    std::visit(follower, **entry);
  }
  return trace;
}

Trace check_recordings_of(const std::string& journal) {
  Trace all;
  for (const auto& file : recording::list_epochs(recording::recordings_of(journal))) {
    const Trace one = check_recording(file.path);
    all.steps += one.steps;
    all.facts += one.facts;
    if (all.unread.empty()) all.unread = one.unread;
    if (!one.broken.empty() && all.broken.empty()) all.broken = file.path + ": " + one.broken;
  }
  return all;
}

}  // namespace ontime::model
