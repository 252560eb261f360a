#pragma once
// What several messages share (types.proto, reports.proto), as it travels and as programs hold it.

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "common/base/byte_range.h"
#include "common/base/codec.h"
#include "common/base/ids.h"
#include "common/base/job_settings.h"
#include "common/base/time.h"
#include "common/protocol/reports.pb.h"
#include "common/protocol/types.pb.h"

namespace ontime::protocol {

inline void put(AttemptId from, wire::Attempt* to) {
  to->set_job(from.task.job.value);
  to->set_task(from.task.index);
  to->set_number(from.number);
}

inline AttemptId attempt_id(const wire::Attempt& from) { return {{JobId{from.job()}, from.task()}, from.number()}; }

inline wire::Attempt to_wire(AttemptId id) {
  wire::Attempt attempt;
  put(id, &attempt);
  return attempt;
}

static_assert(static_cast<int>(Codec::Bzip2) == wire::Codec_MAX);

inline wire::Codec to_wire(Codec codec) { return static_cast<wire::Codec>(codec); }
inline Codec codec(wire::Codec from) { return wire::Codec_IsValid(from) ? static_cast<Codec>(from) : Codec::Plain; }

inline ByteRange byte_range(const wire::Range& range) { return {range.begin(), range.end()}; }

inline void put(ByteRange from, wire::Range* to) {
  to->set_begin(from.begin);
  to->set_end(from.end);
}

template <class Order>
void put(const std::map<std::string, std::string, Order>& from, google::protobuf::RepeatedPtrField<wire::Entry>* to) {
  for (const auto& [key, value] : from) {
    wire::Entry* entry = to->Add();
    entry->set_key(key);
    entry->set_value(value);
  }
}

// What a message holds of a setting.
inline std::int64_t held(Duration value) { return value.count(); }
inline const auto& held(const auto& value) { return value; }

inline void put(const JobSettings& from, wire::JobSettings* to) {
#define ONTIME_PUT_SETTING(name) to->set_##name(held(from.name));
  ONTIME_JOB_SETTINGS(ONTIME_PUT_SETTING)
#undef ONTIME_PUT_SETTING
  put(from.policy_parameters, to->mutable_policy_parameters());
  if (!from.skip.kinds.empty()) to->mutable_skip()->set_kinds(from.skip.kinds);
  if (!from.skip.inputs.empty()) put(from.skip.inputs, to->mutable_skip()->mutable_inputs());
  if (from.checkpoint_interval) to->set_checkpoint_interval(from.checkpoint_interval->count());
}

// Of a parameter that is there twice, the first.
inline JobSettings job_settings(const wire::JobSettings& from) {
  JobSettings to;
#define ONTIME_READ_SETTING(name) to.name = decltype(to.name)(from.name());
  ONTIME_JOB_SETTINGS(ONTIME_READ_SETTING)
#undef ONTIME_READ_SETTING
  for (const wire::Entry& entry : from.policy_parameters()) to.policy_parameters.emplace(entry.key(), entry.value());
  to.skip.kinds = from.skip().kinds();
  for (const wire::Entry& entry : from.skip().inputs()) to.skip.inputs.emplace(entry.key(), entry.value());
  if (from.has_checkpoint_interval()) to.checkpoint_interval = Duration(from.checkpoint_interval());
  return to;
}

// Counters: by group and name.
inline void put(const std::map<std::pair<std::string, std::string>, std::uint64_t>& from,
                google::protobuf::RepeatedPtrField<wire::Counter>* to) {
  for (const auto& [key, value] : from) {
    wire::Counter* counter = to->Add();
    counter->set_group(key.first);
    counter->set_name(key.second);
    counter->set_value(value);
  }
}

inline void put(const AccessPoint& from, wire::AccessPoint* to) {
  to->set_content(from.content);
  to->set_stored(from.stored);
  to->set_state(from.state);
  if (from.needs_window()) to->set_window_hash(from.window.data(), from.window.size());
}

inline void put(StartPoint from, wire::StartPoint* to) {
  put(from.point, to->mutable_point());
  to->set_window(std::move(from.window));
}

inline AccessPoint access_point(const wire::AccessPoint& from) {
  AccessPoint point{from.content(), from.stored(), from.state()};
  std::copy_n(from.window_hash().begin(), std::min(from.window_hash().size(), point.window.size()),
              point.window.begin());
  return point;
}

// `marks`: a worker's SegmentMarks.
wire::SegmentTimes segment_times(Duration age, const auto& marks) {
  wire::SegmentTimes times;
  times.set_age_ns(age.count());
  times.set_first_ns(marks.first.count());
  times.set_last_ns(marks.last.count());
  times.set_timed_bytes(marks.timed_bytes);
  times.set_moves(marks.moves);
  return times;
}

inline StartPoint start_point(const wire::StartPoint& from) { return {access_point(from.point()), from.window()}; }

}  // namespace ontime::protocol
