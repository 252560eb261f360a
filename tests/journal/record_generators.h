#pragma once
// Arbitrary records of every kind, for properties. Whatever a record can say is generated: empty and full texts with
// any bytes, the ends of every range of numbers.

#include <rapidcheck.h>

#include <string>

#include "scheduler/core/record.h"

namespace ontime::test {

namespace fact = scheduler::fact;

inline rc::Gen<std::string> any_text() { return rc::gen::container<std::string>(rc::gen::arbitrary<char>()); }

inline JobId any_job() { return JobId{*rc::gen::inRange<std::uint32_t>(1, 0xffffffff)}; }

inline AttemptId any_attempt() {
  return {{any_job(), *rc::gen::arbitrary<std::uint32_t>()}, *rc::gen::arbitrary<std::uint32_t>()};
}

inline ByteRange any_range() {
  const auto begin = *rc::gen::arbitrary<std::uint64_t>();
  const bool open_ended = *rc::gen::arbitrary<bool>();
  return {begin, open_ended ? kUnknownEnd : begin + *rc::gen::inRange<std::uint64_t>(0, kUnknownEnd - begin)};
}

inline scheduler::StringMap any_map() {
  scheduler::StringMap map;
  for (int left = *rc::gen::inRange(0, 4); left > 0; --left) map[*any_text()] = *any_text();
  return map;
}

inline scheduler::JobSpec any_spec() {
  scheduler::JobSpec spec;
  spec.application = *any_text();
  spec.parameters = any_map();
  for (int left = *rc::gen::inRange(0, 4); left > 0; --left) {
    const auto codec = static_cast<Codec>(*rc::gen::inRange(0, 3));
    const auto size = *rc::gen::arbitrary<std::uint64_t>();
    spec.inputs.push_back({*any_text(), size, *any_text(), codec});
    for (int points = *rc::gen::inRange(0, 3); points > 0; --points) {
      AccessPoint point{*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<std::uint64_t>(), size, {}};
      if (*rc::gen::arbitrary<bool>()) point.window.fill(7);
      spec.inputs.back().points.push_back(point);
    }
    if (*rc::gen::arbitrary<bool>()) continue;
    scheduler::InputFile& group = spec.inputs.back();
    const std::uint64_t first = *rc::gen::inRange<std::uint64_t>(0, size);
    group.parts = {{*any_text(), first, *any_text(), codec}, {*any_text(), size - first, *any_text()}};
  }
  spec.output = *any_text();
  spec.claim = *any_text();
  spec.split_bytes = *rc::gen::inRange<std::uint64_t>(1, kUnknownEnd);
  spec.deadline = Duration(*rc::gen::arbitrary<std::int64_t>());
  spec.checkpoint_interval = Duration(*rc::gen::arbitrary<std::int64_t>());
  spec.attempt_timeout = Duration(*rc::gen::arbitrary<std::int64_t>());
  spec.attempts_max = *rc::gen::arbitrary<std::uint32_t>();
  spec.record_bytes_max = *rc::gen::arbitrary<std::uint64_t>();
  spec.window_bytes_max = *rc::gen::arbitrary<std::uint64_t>();
  spec.policy = *any_text();
  spec.policy_parameters = any_map();
  spec.estimator = *any_text();
  spec.kill_on_miss = *rc::gen::arbitrary<bool>();
  spec.name = *any_text();
  spec.priority = *rc::gen::arbitrary<std::int32_t>();
  spec.owner = *any_text();
  spec.advised = *rc::gen::arbitrary<bool>();
  return spec;
}

inline scheduler::Fact any_sealed() {
  fact::SegmentSealed fact{any_attempt(), any_range(), *rc::gen::arbitrary<std::uint64_t>(), {}, {}};
  const auto time = [] { return Duration(*rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000)); };
  fact.usual_gap = time();
  fact.usual_launch = time();
  fact.usual_seal = time();
  fact.times = {time(), time(), time(), *rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<std::uint32_t>()};
  fact.output.file_offset = *rc::gen::arbitrary<std::uint64_t>();
  fact.output.length = *rc::gen::arbitrary<std::uint64_t>();
  fact.output.records = *rc::gen::arbitrary<std::uint64_t>();
  fact.output.crc32c = *rc::gen::arbitrary<std::uint32_t>();
  for (int left = *rc::gen::inRange(0, 4); left > 0; --left) {
    const std::string group = *any_text();
    fact.counters[{group, *any_text()}] = *rc::gen::arbitrary<std::uint64_t>();
  }
  return fact;
}

inline scheduler::Fact any_cut() {
  const ByteRange range = any_range();
  return fact::SegmentCut{any_attempt(), range.begin, range.end, *rc::gen::arbitrary<bool>()};
}

inline scheduler::DecisionNote any_decision() {
  scheduler::DecisionNote note;
  note.what = static_cast<scheduler::DecisionNote::What>(*rc::gen::inRange(0, 5));
  if (*rc::gen::arbitrary<bool>()) note.task = *rc::gen::arbitrary<std::uint32_t>();
  if (*rc::gen::arbitrary<bool>()) note.attempt = *rc::gen::arbitrary<std::uint32_t>();
  note.reason = *any_text();
  note.segment = *rc::gen::arbitrary<std::uint64_t>();
  if (*rc::gen::arbitrary<bool>()) note.resume_at = *rc::gen::arbitrary<std::uint64_t>();
  note.pieces = *rc::gen::arbitrary<std::uint32_t>();
  note.copies = *rc::gen::arbitrary<std::uint32_t>();
  note.release = *rc::gen::arbitrary<bool>();
  note.when_ready = *rc::gen::arbitrary<bool>();
  note.completion = *rc::gen::arbitrary<double>();
  note.pocd_before = *rc::gen::arbitrary<double>();
  note.pocd_after = *rc::gen::arbitrary<double>();
  note.rate = *rc::gen::inRange(0, 1000);
  note.usual_rate = *rc::gen::inRange(0, 1000);
  note.text = *any_text();
  note.policy = *any_text();
  if (*rc::gen::arbitrary<bool>()) note.number = *rc::gen::arbitrary<std::uint32_t>();
  return note;
}

inline scheduler::Fact any_profile() {
  fact::ProfileUpdated fact{*any_text(), {}};
  for (int left = *rc::gen::inRange(0, 4); left > 0; --left) fact.sample.add_finished(left * 0.25);
  for (int left = *rc::gen::inRange(0, 4); left > 0; --left) fact.sample.add_censored(left * 0.75);
  for (int left = *rc::gen::inRange(0, 4); left > 0; --left) fact.sample.add_launch(left * 1.5);
  for (int left = *rc::gen::inRange(0, 4); left > 0; --left) fact.sample.add_warm_launch((left - 1) * 0.5);
  for (int left = *rc::gen::inRange(0, 9); left > 0; --left) {
    const auto how = static_cast<scheduler::math::Beginning>(left % scheduler::math::kBeginnings);
    fact.sample.add_fixed(how, (left - 1) * 0.5);
    fact.sample.add_first(left * 0.125);
  }
  return fact;
}

inline constexpr int kFactKinds = static_cast<int>(std::variant_size_v<scheduler::Fact>);

inline scheduler::AttemptEnd any_end() {
  return static_cast<scheduler::AttemptEnd>(*rc::gen::inRange(0, static_cast<int>(scheduler::AttemptEnd::Excused) + 1));
}

// A fact of the kind at that index of the variant.
inline scheduler::Fact any_fact(int kind) {
  const NodeId node{*rc::gen::inRange<std::uint32_t>(1, 0xffffffff)};
  switch (kind) {
    case 0:
      return fact::MasterStarted{*rc::gen::arbitrary<std::uint64_t>()};
    case 1:
      return fact::NodeAdded{node, *any_text(), *any_text(), *any_text(), *rc::gen::arbitrary<std::uint32_t>()};
    case 2:
      return fact::JobAccepted{any_job(), any_spec()};
    case 3:
      return fact::AttemptLaunched{any_attempt(),
                                   node,
                                   any_range(),
                                   *rc::gen::arbitrary<bool>(),
                                   *rc::gen::arbitrary<bool>(),
                                   Duration(*rc::gen::arbitrary<std::int64_t>())};
    case 4:
      return fact::StandbyBegun{any_attempt(), any_range()};
    case 5:
      return any_cut();
    case 6:
      return fact::SegmentDivided{
          {any_job(), *rc::gen::arbitrary<std::uint32_t>()}, 7, *rc::gen::inRange<std::uint64_t>(8, 99)};
    case 7:
      return any_sealed();
    case 8:
      return fact::AttemptEnded{any_attempt(), any_end(), *any_text()};
    case 9:
      return fact::PolicyDecided{any_job(), any_decision()};
    case 10:
      return any_profile();
    case 11:
      return fact::CommitStarted{any_job()};
    case 12:
      return fact::JobEnded{any_job(), static_cast<scheduler::JobState>(*rc::gen::inRange(0, 5)), *any_text(),
                            *rc::gen::arbitrary<bool>()};
    case 13:
      return fact::JobForgotten{any_job()};
    case 15:
      return fact::ProfileForgotten{*any_text()};
    case 16:
      return fact::NodeForgotten{node};
    case 17:
      return fact::TaskReopened{any_attempt().task};
    case 19:
      return fact::InputLeftOut{any_attempt(), *any_text()};
    case 18:
      return fact::JobNotified{any_job(), *rc::gen::arbitrary<std::uint32_t>(), *any_text()};
    default:
      return fact::DutyChanged{node, static_cast<scheduler::Duty>(*rc::gen::inRange(0, 4))};
  }
}

inline scheduler::JournalRecord any_record(int kind) {
  return {from_unix_ns(*rc::gen::arbitrary<std::int64_t>()), any_fact(kind)};
}

}  // namespace ontime::test
