#include "worker/runner/attempt_run.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>

#include "common/app/record_format.h"
#include "common/injection/wire.h"
#include "common/protocol/convert.h"
#include "worker/runner/children.h"

namespace ontime::worker {
namespace {

constexpr std::size_t kMessageBytesMax = 4096;
// Where the commit syncs outputs: so much is better on the disk early, while others map.
constexpr std::uint64_t kSyncedFrom = 1u << 20;

InputFile input_file(const wire::InputFile& file) {
  InputFile input{file.path(), file.size(), file.version(), protocol::codec(file.codec()), file.content_bytes()};
  for (const wire::AccessPoint& point : file.points()) input.points.push_back(protocol::access_point(point));
  if (file.has_start()) input.start = protocol::start_point(file.start());
  return input;
}

TaskInput task_input(const wire::InputFile& file) {
  TaskInput input;
  input.begin = file.parts_begin();
  for (const wire::InputPart& part : file.parts())
    input.files.push_back({part.path(), part.size(), part.version(), protocol::codec(part.codec())});
  if (file.parts().empty()) input.files.push_back(input_file(file));
  return input;
}

std::uint64_t end_of(const TaskInput& input) {
  std::uint64_t end = input.begin;
  for (const InputFile& file : input.files) {
    if (file.codec != Codec::Plain && file.content_bytes == 0) return kUnknownEnd;
    end += file.length();
  }
  return end;
}

// Runs a piece of the application on records of `path`; what it throws becomes the failure.
template <class Call>
AttemptStatus guarded(const std::string& path, Call&& call) {
  try {
    call();
    return {};
  } catch (const app::BadRecord& record) {
    Fault fault = bad_record(path, record.offset(), std::string(" ") + record.what());
    fault.message.resize(std::min(fault.message.size(), kMessageBytesMax));
    return to_failure(std::move(fault));
  } catch (const std::bad_alloc&) {
    throw;  // told of where the limit is known
  } catch (const std::exception& e) {
    return AttemptFailure{wire::THREW, std::string(e.what()).substr(0, kMessageBytesMax)};
  } catch (...) {
    return AttemptFailure{wire::THREW, "the application threw something that is no std::exception"};
  }
}

AttemptFailure begun_wrongly(const std::string& what) { return {wire::CRASHED, "the standby was " + what}; }

}  // namespace

const RunnerPlaces& everywhere() {
  static const RunnerPlaces places;
  return places;
}

AttemptFailure to_failure(Fault fault) {
  switch (fault.kind) {
    case FaultKind::Vanished:
      return {wire::INPUT_VANISHED, std::move(fault.message)};
    case FaultKind::Unreadable:
      return {wire::INPUT_UNREADABLE, std::move(fault.message)};
    case FaultKind::InputChanged:
      return {wire::INPUT_CHANGED, std::move(fault.message)};
    case FaultKind::BadRecord:
      return {wire::BAD_RECORD, std::move(fault.message)};
    case FaultKind::Output:
      return {wire::OUTPUT, std::move(fault.message)};
    case FaultKind::Away:
      return {wire::AWAY, std::move(fault.message)};
    case FaultKind::Node:
      return {wire::LAUNCH, std::move(fault.message)};
    case FaultKind::Input:
      break;
  }
  return {wire::INPUT, std::move(fault.message)};
}

AttemptRun::AttemptRun(const RunnerParts& parts, const wire::ToRunner::Run& order)
    : parts_(parts),
      order_(order),
      disturbance_(order.has_disturbance() ? injection::from_wire(order.disturbance()) : injection::Disturbance{}),
      range_(protocol::byte_range(order.launch().range())),
      points_(range_),
      block_size_(std::min(parts.block_bytes, parts.claim_bytes)),
      cut_answered_(order.cut_sequence()) {}

AttemptStatus AttemptRun::run() {
  const auto since = parts_.clock.now();
  const wire::Attempt& id = order_.launch().attempt();
  parts_.context.set_attempt({id.job(), id.task(), id.number()});
  report_progress();
  if (auto opened = open(); !opened) return opened;
  if (auto launched = launch_slowly(since); !launched) return launched;
  if (order_.launch().standby()) {
    if (auto begun = await_begin(); !begun) return begun;
  }
  return map_all();
}

// Says that it is ready, and becomes an attempt on what Begin names.
AttemptStatus AttemptRun::await_begin() {
  wire::FromRunner ready;
  ready.mutable_ready();
  if (auto sent = send(std::move(ready)); !sent) return sent;
  auto message = parts_.channel.receive();
  if (!message) return begun_wrongly("not begun: " + message.error().message);
  if (!message->has_value() || !(*message)->has_begin()) return begun_wrongly("given up before it was begun");
  const wire::ToRunner::Begin& begin = (*message)->begin();
  const ByteRange part = protocol::byte_range(begin.order().range());
  if (part.begin < range_.begin || part.end > range_.end || part.begin >= part.end) {
    return begun_wrongly("begun with a range that it was not launched for");
  }
  range_ = part;
  points_ = CutPoints(range_);
  cut_answered_ = begin.cut_sequence();
  if (begin.order().has_start()) reader_->offer(protocol::start_point(begin.order().start()));
  if (auto there = reader_->go_to(range_.begin); !there) return to_failure(std::move(there).error());
  report_progress();
  return {};
}

void AttemptRun::listen_to_mapper() {
  parts_.context.on_status([this](const std::string& text) {
    status_.set(text);
    send_status();
  });
  parts_.context.on_taken([this](std::uint64_t offset) {
    taken_ = file_begin_ + offset;
    report_progress();
  });
  parts_.context.on_asked([this](std::uint64_t offset) { return gives_back(file_begin_ + offset); });
}

void AttemptRun::ignore_mapper() {
  parts_.context.on_status(nullptr);
  parts_.context.on_taken(nullptr);
  parts_.context.on_asked(nullptr);
}

AttemptStatus AttemptRun::map_all() {
  listen_to_mapper();
  if (!disturbance_.is_none()) {
    const std::uint64_t end =
        range_.is_open_ended() ? std::max(range_.begin, order_.launch().file().size()) : range_.end;
    pace_.emplace(disturbance_, ByteRange{range_.begin, end}, parts_.clock.now());
  }
  AttemptStatus status;
  while (status && !points_.is_over()) status = pace_ ? disturbed_step() : step();
  ignore_mapper();
  return status;
}

AttemptStatus AttemptRun::open() {
  TaskInput input = task_input(order_.launch().file());
  const std::uint64_t end = end_of(input);
  if (range_.begin < input.begin || (!range_.is_open_ended() && range_.end > end)) {
    return AttemptFailure{wire::INPUT_CHANGED, "the split ends at byte " + std::to_string(range_.end) + " of " +
                                                   order_.launch().file().path() + ", which has only " +
                                                   std::to_string(end) + "; submit the job again"};
  }
  TaskInputAccess access{parts_.places.input, [this](std::size_t file) { return find_address(file); }, range_.end};
  access.notes.on_point = [this](StartPoint start) { send_note(std::move(start), 0); };
  access.notes.on_end = [this](std::uint64_t content_bytes) { send_note(std::nullopt, content_bytes); };
  auto reader = InputReader::open(std::move(input), parts_.rule, range_.begin, parts_.block_bytes, std::move(access));
  if (!reader) return to_failure(std::move(reader).error());
  reader_ = std::move(*reader);
  const RunnerPlaces& places = parts_.places;
  auto output = places.output_socket >= 0 ? take_over(places.output_socket, order_.output_path())
                                          : OutputFile::create(order_.output_path(), places.output);
  if (!output) return to_failure(std::move(output).error());
  writer_ =
      std::make_unique<SegmentWriter>(std::move(*output), places.syncs_at_commit ? kSyncedFrom : 0, parts_.compression);
  return {};
}

// The one that came with the order is the first file's; for any other the worker is asked. It sends nothing else
// meanwhile: cuts come through the progress block, and a standby is not begun before it has said that it is ready.
Outcome<std::string> AttemptRun::find_address(std::size_t file) {
  if (file == 0 && !std::exchange(has_address_, true)) return order_.address();
  wire::FromRunner wanted;
  wanted.mutable_address_wanted()->set_part(static_cast<std::uint32_t>(file));
  if (auto sent = send(std::move(wanted)); !sent) return Fault{FaultKind::Node, std::move(sent).error().message};
  auto message = parts_.channel.receive();
  if (!message || !message->has_value() || !(*message)->has_address()) {
    return Fault{FaultKind::Node, "the worker gives no address for a file of its store"};
  }
  const wire::ToRunner::Address& address = (*message)->address();
  if (address.address().empty()) return Fault{FaultKind::Node, address.error()};
  return address.address();
}

// Looks for a cut, then goes on.
AttemptStatus AttemptRun::step() {
  if (parts_.progress.cut_sequence.load(std::memory_order_acquire) != cut_answered_) {
    if (auto answered = answer_cut(); !answered || points_.is_over()) return answered;
  }
  return claim(points_.segment().end);
}

// Claims and maps a block, or seals when the segment is done.
AttemptStatus AttemptRun::claim(std::uint64_t end) {
  const RunClock::TimePoint from = parts_.clock.now();
  const std::uint64_t position = reader_->position();
  const std::uint64_t ahead = end > position ? std::min(end - position, block_size_.bytes()) : 0;
  if (!parts_.progress.claims.claim(position + ahead)) return obey_worker(), AttemptStatus();
  auto block = reader_->next(position + ahead);
  if (!block) return to_failure(std::move(block).error());
  parts_.progress.claims.claim(claimed());  // to the end of its last record; if the worker has cut there, what follows
                                            // is a part of that record
  const std::uint64_t passed = reader_->position();
  if (block->records == 0 && passed >= position + ahead && passed < end) return {};  // over what belongs to no record
  const bool is_last = block->records == 0;
  if (auto status = is_last ? seal() : map(*block); !status) return status;
  if (!is_last) block_size_.on_mapped(block->batch.bytes.size(), parts_.clock.now() - from);
  report_progress();
  if (status_.has_pending()) send_status();
  return {};
}

AttemptStatus AttemptRun::begin_segment() {
  if (!has_started_) {
    has_started_ = true;
    measure_next_segment();
    wire::FromRunner message;
    message.mutable_started();
    if (auto sent = send(std::move(message)); !sent) return sent;
  }
  if (has_begun_) return {};
  has_begun_ = true;
  file_begin_ = reader_->file_begin();
  parts_.context.set_input(reader_->file().path, reader_->header());
  const std::uint64_t begin = std::max(points_.segment().begin, file_begin_) - file_begin_;
  if (auto begun = guarded(parts_.context.input_path(), [&] { parts_.mapper.begin_segment(begin); }); !begun)
    return begun;
  if (pace_) start_slowly();
  return {};
}

AttemptStatus AttemptRun::flush() {
  has_begun_ = false;
  if (auto flushed = guarded(parts_.context.input_path(), [&] { parts_.mapper.flush(*writer_); }); !flushed)
    return flushed;
  taken_.reset();
  return {};
}

AttemptStatus AttemptRun::map(const RecordBlock& block) {
  if (has_begun_ && reader_->file_begin() != file_begin_) {
    if (auto flushed = flush(); !flushed) return flushed;
  }
  if (auto begun = begin_segment(); !begun) return begun;
  if (!std::exchange(has_mapped_, true)) meter_.first_record_at(file_begin_ + block.batch.offset);
  if (auto mapped = guarded(parts_.context.input_path(), [&] { parts_.mapper.map(block.batch, *writer_); }); !mapped)
    return mapped;
  if (writer_->fault()) return to_failure(*writer_->fault());
  const std::uint64_t records = given_back_ ? records_before(*std::exchange(given_back_, {}), block) : block.records;
  segment_records_ += records;
  records_ += records;
  return {};
}

AttemptStatus AttemptRun::seal() {
  if (!parts_.progress.claims.claim(points_.segment().end)) return obey_worker(), AttemptStatus();
  if (auto begun = begin_segment(); !begun) return begun;
  if (auto flushed = flush(); !flushed) return flushed;
  report_progress();
  std::fflush(nullptr);  // what the application has printed: the runner may be killed when all is sealed
  if (auto same = reader_->check_unchanged(); !same) return to_failure(std::move(same).error());
  auto output = writer_->seal();
  if (!output) return to_failure(std::move(output).error());
  if (auto sent = send_sealed(*output); !sent) return sent;
  points_.on_sealed();
  segment_records_ = 0;
  has_mapped_ = false;
  measure_next_segment();
  return {};
}

void AttemptRun::measure_next_segment() {
  if (points_.is_over())
    meter_.end();
  else
    meter_.begin(points_.segment().begin, parts_.clock.now());
  parts_.progress.segment.store(meter_.marks());
}

AttemptStatus AttemptRun::send_sealed(const SealedBytes& output) {
  const ByteRange segment = points_.segment();
  wire::FromRunner message;
  wire::Sealed& sealed = *message.mutable_sealed();
  protocol::put(segment, sealed.mutable_range());
  sealed.set_input_end(segment.is_open_ended() ? std::max(segment.begin, reader_->position()) : segment.end);
  *sealed.mutable_times() = protocol::segment_times(meter_.age(parts_.clock.now()), meter_.marks());
  wire::SealedOutput& out = *sealed.mutable_output();
  out.set_file_offset(output.file_offset);
  out.set_length(output.length);
  out.set_records(segment_records_);
  out.set_crc32c(output.crc32c);
  out.set_content_length(output.content_length);
  for (CounterDelta& delta : parts_.context.take_counters()) {
    wire::Counter& counter = *out.add_counters();
    counter.set_group(std::move(delta.group));
    counter.set_name(std::move(delta.name));
    counter.set_value(delta.value);
  }
  return send(std::move(message));
}

AttemptStatus AttemptRun::send(wire::FromRunner message) {
  *message.mutable_attempt() = order_.launch().attempt();
  auto sent = parts_.channel.send(message);
  if (!sent) return AttemptFailure{wire::CRASHED, std::move(sent).error().message};
  return {};
}

void AttemptRun::report_progress() {
  // Before its first record its position says nothing about its speed.
  const bool has_begun = records_ > 0 || has_mapped_;
  std::uint64_t position = std::min(has_begun ? reader_->position() : points_.segment().begin, points_.end());
  if (taken_) position = std::min(position, *taken_);
  position = std::max(range_.begin, position);
  if (has_mapped_ && position > meter_.taken()) {
    meter_.take(position, mapped_below(position), parts_.clock.now());
    parts_.progress.segment.store(meter_.marks());
  }
  parts_.progress.offset.store(position, std::memory_order_relaxed);
  parts_.progress.records.store(records_, std::memory_order_relaxed);
  parts_.progress.output_bytes.store(writer_ ? writer_->bytes() : 0, std::memory_order_relaxed);
}

// A mapper that hands its records on, and an attempt that is held to a pace, have mapped what they had taken before
// when they take more: bytes are taken first.
std::uint64_t AttemptRun::mapped_below(std::uint64_t taken) const {
  const bool is_paced = disturbance_.bytes_per_second > 0;
  if (!taken_ && !is_paced) return taken;
  return meter_.taken() - std::min(meter_.taken(), is_paced ? disturbance_.reads_ahead : 0);
}

// A worker that is gone is noticed with the next message that matters.
void AttemptRun::send_note(std::optional<StartPoint> start, std::uint64_t content_bytes) {
  wire::FromRunner message;
  message.mutable_noted()->set_content_bytes(content_bytes);
  if (start) protocol::put(std::move(*start), message.mutable_noted()->mutable_point());
  static_cast<void>(send(std::move(message)).has_value());
}

// The same.
void AttemptRun::send_status() {
  auto text = status_.take(StatusLine::Clock::now());
  if (!text) return;
  wire::FromRunner message;
  message.mutable_status()->set_text(std::move(*text));
  static_cast<void>(send(std::move(message)).has_value());
}

}  // namespace ontime::worker
