#include "master/policies/plan_reader.h"

#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "master/policies/policy_process.h"

namespace ontime::master {
namespace {

using nlohmann::json;
using scheduler::Handover;
using scheduler::Plan;
using scheduler::Reason;

// One object of the answer, each of whose fields is asked for.
class Fields {
 public:
  Fields(const json& object, const Look& look) : object_(object), look_(look) {}

  std::string text(const char* name) { return find(name).get<std::string>(); }

  // REQUIRES: Whole has no sign.
  template <class Whole>
  Whole whole(const char* name) {
    return whole_of<Whole>(name, find(name));
  }
  std::optional<std::uint32_t> optional_whole(const char* name) {
    return object_.contains(name) ? std::optional(whole<std::uint32_t>(name)) : std::nullopt;
  }
  double number(const char* name, double otherwise) {
    return object_.contains(name) ? find(name).get<double>() : otherwise;
  }
  Reason reason(Reason otherwise) {
    if (!object_.contains("reason")) return otherwise;
    const std::string code = text("reason");
    const auto reason = scheduler::reason_of_code(code);
    if (!reason) throw PolicyEnded("its plan has the reason '" + code + "', which there is not");
    return *reason;
  }
  Handover handover() {
    const std::string name = text("handover");
    if (name != "predicted" && name != "ready")
      throw PolicyEnded("its plan has the handover '" + name + "'; there are predicted and ready");
    return name == "ready" ? Handover::Ready : Handover::Predicted;
  }
  template <class Row>
  const Row& row(const char* name, const std::vector<Row> Look::*table) {
    return row_at(name, table, whole<std::size_t>(name));
  }
  template <class Row>
  const Row& row_at(const char* name, const std::vector<Row> Look::*table, std::size_t at) const {
    const std::vector<Row>& rows = look_.*table;
    if (at < rows.size()) return rows[at];
    throw PolicyEnded("it names row " + std::to_string(at) + " as its " + name + ", and there are " +
                      std::to_string(rows.size()));
  }
  // [[offset, count], ...]
  std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs(const char* name) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs;
    for (const json& pair : find(name))
      pairs.emplace_back(whole_of<std::uint64_t>(name, pair.at(0)), whole_of<std::uint32_t>(name, pair.at(1)));
    return pairs;
  }
  std::vector<std::uint64_t> offsets(const char* name) {
    std::vector<std::uint64_t> offsets;
    for (const json& offset : find(name)) offsets.push_back(whole_of<std::uint64_t>(name, offset));
    return offsets;
  }

  // To be called last.
  void finish() const {
    if (object_.size() != asked_) throw PolicyEnded("its plan has a field too many: " + object_.dump());
  }

 private:
  const json& find(const char* name) {
    ++asked_;
    return object_.at(name);
  }
  template <class Whole>
  static Whole whole_of(const char* name, const json& value) {
    if (value.is_number_unsigned() && value.get<std::uint64_t>() <= std::numeric_limits<Whole>::max())
      return value.get<Whole>();
    throw PolicyEnded(std::string("its plan has a ") + name + " that is no whole number from 0 on: " + value.dump());
  }

  const json& object_;
  const Look& look_;
  std::size_t asked_ = 0;
};

scheduler::Speculate speculate(Fields& fields, decltype(scheduler::Speculate::work) work) {
  constexpr double kNobodyKnows = std::numeric_limits<double>::quiet_NaN();
  const SegmentRow& row = fields.row("segment", &Look::segments);
  scheduler::Speculate decision{row.task, row.segment->range.begin, std::move(work), fields.reason(Reason::Late)};
  decision.completion = fields.number("completion", kNobodyKnows);
  decision.pocd_before = fields.number("pocd_before", kNobodyKnows);
  decision.pocd_after = fields.number("pocd_after", kNobodyKnows);
  decision.rate = fields.number("rate", 0);
  decision.usual_rate = fields.number("usual_rate", 0);
  return decision;
}

scheduler::GivenTail given_tail(Fields& fields) {
  scheduler::GivenTail tail{{}, fields.handover()};
  for (const auto& [begin, copies] : fields.pairs("pieces")) tail.pieces.push_back({begin, copies});
  if (tail.pieces.empty()) throw PolicyEnded("its plan gives away a tail without pieces");
  return tail;
}

scheduler::Note note(Fields& fields) {
  return {fields.row("job", &Look::jobs).job->id, fields.text("text"), fields.optional_whole("number"), {}};
}

// By what a decision does.
const std::map<std::string, std::function<scheduler::Decision(Fields&)>, std::less<>> kDecisions{
    {"race", [](Fields& f) { return speculate(f, scheduler::WholeSegment{f.whole<std::uint32_t>("copies")}); }},
    {"share_tail",
     [](Fields& f) {
       const auto begin = f.whole<std::uint64_t>("begin");
       const auto copies = f.whole<std::uint32_t>("copies");
       return speculate(f, scheduler::SharedTail{begin, copies, f.handover()});
     }},
    {"give_tail", [](Fields& f) { return speculate(f, given_tail(f)); }},
    {"divide",
     [](Fields& f) {
       const SegmentRow& row = f.row("segment", &Look::segments);
       return scheduler::Divide{row.task, row.segment->range.begin, f.offsets("borders"),
                                f.reason(Reason::DivideAtStart)};
     }},
    {"clone",
     [](Fields& f) {
       return scheduler::CloneTasks{f.row("job", &Look::jobs).job->id, f.whole<std::uint32_t>("copies"),
                                    f.reason(Reason::Clone)};
     }},
    {"end",
     [](Fields& f) {
       return scheduler::EndAttempt{f.row("attempt", &Look::attempts).id, f.reason(Reason::SlowerCopy)};
     }},
    {"decline",
     [](Fields& f) {
       return scheduler::Decline{f.row("task", &Look::tasks).id(), f.reason(Reason::OnSchedule)};
     }},
    {"note", note},
};

scheduler::Decision read_decision(const json& object, const Look& look) {
  Fields fields(object, look);
  const std::string what = fields.text("do");
  const auto known = kDecisions.find(what);
  if (known == kDecisions.end()) throw PolicyEnded("its plan has the decision '" + what + "', which there is not");
  scheduler::Decision decision = known->second(fields);
  fields.finish();
  return decision;
}

}  // namespace

ReadPlan read_plan(const json& answer, const Look& look) try {
  ReadPlan read;
  Fields fields(answer, look);
  if (const json& next = answer.at("next_check"); !next.is_null())
    read.plan.next_check = from_unix_ns(next.get<std::int64_t>());
  for (const auto& [job, slots] : fields.pairs("shares"))
    read.shares[fields.row_at("job", &Look::jobs, job).job->id] = slots;
  for (const json& decision : answer.at("decisions")) read.plan.decisions.push_back(read_decision(decision, look));
  return read;
} catch (const json::exception& wrong) {
  throw PolicyEnded(std::string("its plan cannot be read: ") + wrong.what());
}

}  // namespace ontime::master
