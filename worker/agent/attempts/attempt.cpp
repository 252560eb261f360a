#include "worker/agent/attempts/attempt.h"

#include <algorithm>
#include <utility>

#include "common/base/limits.h"
#include "common/protocol/bounds.h"
#include "common/protocol/convert.h"
#include "worker/agent/runners/text.h"

namespace ontime::worker {
namespace {

std::string text_of(ByteRange range) {
  return "bytes " + std::to_string(range.begin) + " to " +
         (range.is_open_ended() ? "the end" : std::to_string(range.end));
}

}  // namespace

Attempt::Attempt(AttemptId id, wire::Order::Launch launch)
    : id_(id),
      launch_(std::move(launch)),
      begun_(!launch_.standby()),
      segment_begin_(launch_.range().begin()),
      held_end_(launch_.range().end()) {
  protocol::put(id_, progress_.mutable_attempt());
  progress_.set_offset(segment_begin_);
}

Status Attempt::begin(ByteRange range) {
  if (begin_ == range) return {};
  const bool fits = launch_.standby() && !begin_ && range.begin >= launch_.range().begin() && range.begin < range.end &&
                    range.end <= launch_.range().end();
  if (!fits) return bad_input("the master began " + to_string(id_) + " in a way that does not fit its launch");
  begin_ = range;
  segment_begin_ = range.begin;
  progress_.set_offset(range.begin);
  held_end_ = range.end;
  return {};
}

std::optional<ByteRange> Attempt::next_begin() const { return ready_ && !begun_ ? begin_ : std::nullopt; }

void Attempt::add_cut(Cut cut) {
  if (!begun_ && !begin_) return;
  if (cut_under_way_ != 0 && cut == asked_cut_) return;
  const auto waiting = std::find_if(waiting_cuts_.begin(), waiting_cuts_.end(),
                                    [&](const Cut& other) { return other.release == cut.release; });
  if (waiting == waiting_cuts_.end())
    waiting_cuts_.push_back(cut);
  else
    waiting->at = cut.release ? std::min(waiting->at, cut.at) : cut.at;
}

std::optional<Cut> Attempt::next_cut() const {
  if (!begun_ || cut_under_way_ != 0 || waiting_cuts_.empty()) return std::nullopt;
  return waiting_cuts_.front();
}

void Attempt::on_cut_asked(std::uint64_t sequence) {
  asked_cut_ = waiting_cuts_.front();
  waiting_cuts_.erase(waiting_cuts_.begin());
  cut_under_way_ = sequence;
}

wire::FromRunner Attempt::answer(std::uint64_t at) const {
  wire::FromRunner message;
  *message.mutable_attempt() = protocol::to_wire(id_);
  message.set_cut_sequence(cut_under_way_);
  message.mutable_cut()->set_at(at);
  message.mutable_cut()->set_release(asked_cut_.release);
  return message;
}

ByteRange Attempt::given() const { return begin_ ? *begin_ : protocol::byte_range(launch_.range()); }

Status Attempt::check(const wire::FromRunner& message) const {
  if (message.has_sealed()) return check_seal(message.sealed());
  if (message.has_cut()) return check_cut(message.cut().at());
  return {};
}

Status Attempt::check_seal(const wire::Sealed& sealed) const {
  const ByteRange range = protocol::byte_range(sealed.range());
  if (Status possible = protocol::check_seal(range, sealed.input_end(), sealed.output()); !possible) return possible;
  if (range.begin >= given().begin && range.end <= given().end) return {};
  return failed("it sealed " + text_of(range) + ", and was given " + text_of(given()));
}

Status Attempt::check_cut(std::uint64_t at) const {
  if (Status possible = protocol::check_cut(at); !possible) return possible;
  if (at >= given().begin && at <= given().end) return {};
  return failed("it answered a cut with byte " + std::to_string(at) + ", and was given " + text_of(given()));
}

Result<std::optional<wire::Report>> Attempt::on_message(const wire::FromRunner& message) {
  wire::Report report;
  *report.mutable_attempt() = protocol::to_wire(id_);
  Status status;
  switch (message.what_case()) {
    case wire::FromRunner::kReady:
      status = on_ready();
      report.mutable_ready();
      break;
    case wire::FromRunner::kStarted:
      status = on_started();
      report.mutable_started();
      break;
    case wire::FromRunner::kCut:
      status = on_cut_answer(message.cut_sequence(), message.cut());
      *report.mutable_cut() = message.cut();
      break;
    case wire::FromRunner::kSealed:
      status = on_sealed(message.sealed());
      *report.mutable_sealed() = message.sealed();
      if (!protocol::is_possible(message.sealed().times())) report.mutable_sealed()->clear_times();
      break;
    case wire::FromRunner::kStatus:
      progress_.set_status(std::string(head_of(message.status().text(), kStatusBytesMax)));
      return std::optional<wire::Report>();
    default:
      return failed("it sent a message that means nothing");
  }
  if (!status) return std::move(status).error();
  return std::optional(std::move(report));
}

Status Attempt::on_ready() {
  if (!launch_.standby() || std::exchange(ready_, true)) return failed("it said that it was ready unasked");
  return {};
}

Status Attempt::on_started() {
  if (!begun_) return failed("it started before it was told to begin");
  if (std::exchange(started_, true)) return failed("it started twice");
  return {};
}

Status Attempt::on_cut_answer(std::uint64_t sequence, const wire::CutAnswer& answer) {
  if (cut_under_way_ == 0 || sequence != cut_under_way_) return failed("it answered a cut that was not asked");
  cut_under_way_ = 0;
  ++seals_allowed_;
  released_ |= answer.release();
  if (answer.release()) held_end_ = std::min(held_end_, answer.at());
  return {};
}

Status Attempt::on_sealed(const wire::Sealed& sealed) {
  if (!begun_) return failed("it sealed a segment before it was told to begin");
  if (seals_allowed_ == 0) return failed("it sealed more segments than it was given");
  --seals_allowed_;
  sealed_any_ = true;
  segment_begin_ = sealed.range().end();
  progress_.clear_segment();
  return {};
}

Status Attempt::on_finished() const {
  if (!sealed_any_ && !released_) return failed("it finished without having sealed anything");
  return {};
}

Status Attempt::observe(wire::AttemptProgress positions) {
  if (positions.offset() > std::min(given().end, kOffsetMax)) {
    return failed("it stands at byte " + std::to_string(positions.offset()) + ", and was given " + text_of(given()));
  }
  if (std::max(positions.records(), positions.output_bytes()) > kOffsetMax)
    return failed("it counts more than any attempt can do");
  positions.set_offset(std::max(progress_.offset(), positions.offset()));
  positions.set_records(std::max(progress_.records(), positions.records()));
  positions.set_output_bytes(std::max(progress_.output_bytes(), positions.output_bytes()));
  progress_.MergeFrom(positions);
  return {};
}

void Attempt::observe_segment(const SegmentMarks& marks, Duration now) {
  progress_.clear_segment();
  if (!started_ || marks.begun_at <= Duration(0) || marks.begin != segment_begin_ || now < marks.begun_at) return;
  wire::SegmentTimes times = protocol::segment_times(now - marks.begun_at, marks);
  if (protocol::is_possible(times)) *progress_.mutable_segment() = std::move(times);
}

}  // namespace ontime::worker
