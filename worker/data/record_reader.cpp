#include "worker/data/record_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/base/check.h"
#include "common/base/units.h"

namespace ontime::worker {
namespace {

constexpr std::size_t kReadBytesMin = 4096;
constexpr std::uint64_t kFartherBack = 16;  // times as far, where a begin is not to be told
constexpr std::size_t kLookUpLeast = 8 << 10;
constexpr std::size_t kLookUpMost = 1 << 20;

}  // namespace

RecordReader::RecordReader(InputFile file, RecordMarks marks, RecordRule rule, std::size_t block_bytes,
                           const InputAccess& access)
    : file_(std::move(file)),
      rule_(std::move(rule)),
      marks_(std::move(marks)),
      access_(access),
      block_bytes_(block_bytes),
      capacity_(block_bytes),
      buffer_(std::make_unique_for_overwrite<char[]>(block_bytes)) {
  access_.notes = marks_.listen(access_.notes);
}

Outcome<std::unique_ptr<RecordReader>> RecordReader::open(InputFile file, RecordRule rule, std::uint64_t begin,
                                                          std::size_t block_bytes, const InputAccess& access) {
  RecordMarks marks(file, *rule.format);
  std::unique_ptr<RecordReader> reader(
      new RecordReader(std::move(file), std::move(marks), std::move(rule), block_bytes, access));
  if (auto opened = reader->rewind(); !opened) return std::move(opened).error();
  if (auto read = reader->read_header(begin); !read) return std::move(read).error();
  if (auto there = reader->go_to(begin); !there) return std::move(there).error();
  return reader;
}

// To the input's begin.
Outcome<void> RecordReader::rewind() {
  if (!input_ || file_.codec != Codec::Plain) {
    auto input = open_input(file_, access_);
    if (!input) return std::move(input).error();
    source_.reset();
    input_ = std::move(*input);
  }
  source_ = make_source(*input_, access_);
  first_ = last_ = 0;
  position_ = 0;
  ended_ = false;
  return {};
}

Outcome<void> RecordReader::read_header(std::uint64_t begin) {
  if (!rule_.format->has_header()) return {};
  auto first = next(1);
  if (!first) return std::move(first).error();
  header_ = rule_.format->text(first->batch.bytes);
  return begin > position_ ? rewind() : Outcome<void>();
}

Outcome<void> RecordReader::go_to(std::uint64_t begin) {
  if (begin <= position_) return {};  // no record starts between where it was sent before and where it stands
  const bool is_told_from_begin = rule_.format->look_back() == app::RecordFormat::kFromTheBegin;
  if (auto found = is_told_from_begin ? go_by_marks(begin) : find_begin(begin); !found) return found;
  position_ = std::max(position_, begin);
  return {};
}

Outcome<void> RecordReader::go_by_marks(std::uint64_t begin) {
  if (const std::uint64_t mark = marks_.before(begin); mark > position_) {
    if (auto reached = skip_to(mark); !reached) return reached;
    marks_.jump(position_);
  }
  return walk_to(begin);
}

// From where a record begins, over all that begin before `begin`.
Outcome<void> RecordReader::walk_to(std::uint64_t begin) {
  while (position_ < begin) {
    auto block = next(begin);
    if (!block) return std::move(block).error();
    if (block->records == 0) break;
  }
  return {};
}

// From so far before `begin` as the format needs to know where a record begins; at first from where it stands, which is
// such a place, if that is not far.
Outcome<void> RecordReader::find_begin(std::uint64_t begin) {
  if (begin - position_ <= available()) return walk_to(begin);
  const std::uint64_t least = rule_.format->look_back();
  const std::uint64_t most = rule_.record_bytes_max + least;  // where a record begins, unless none does for as long
  for (std::uint64_t back = least;; back = back < most ? std::min(back * kFartherBack, most) : begin) {
    const std::uint64_t from = begin - std::min(begin, back);
    if (from < position_) {
      if (auto rewound = rewind(); !rewound) return rewound;
    }
    if (from == 0) return walk_to(begin);
    if (auto reached = skip_to(from); !reached) return reached;
    auto search = search_from(begin);
    if (!search) return std::move(search).error();
    if (search->result == app::Search::Result::Found) return skip_to(search->at);
  }
}

// Not found: the bytes before are needed.
Outcome<app::Search> RecordReader::search_from(std::uint64_t begin) {
  for (;;) {
    if (position_ + available() >= begin) {
      try {
        const app::Search search = rule_.format->find_begin(window(), begin);
        if (search.result != app::Search::Result::NeedsBehind) return search;
      } catch (const std::exception& problem) {
        return broken(problem);
      }
    }
    if (ended_) return app::Search::found(position_ + available());
    if (position_ + available() > begin + rule_.record_bytes_max) return too_long(begin);
    const std::uint64_t room = begin - position_ + kReadBytesMin;
    if (auto filled = fill(begin + kReadBytesMin, room); !filled) return std::move(filled).error();
  }
}

// Drops what lies before `offset`; stops where the input ends.
Outcome<void> RecordReader::skip_to(std::uint64_t offset) {
  if (const std::uint64_t ahead = offset - position_; ahead <= available()) {
    drop(static_cast<std::size_t>(ahead));
    return {};
  }
  first_ = last_ = 0;
  auto reached = source_->skip_to(offset, offset + 1);
  if (!reached) return std::move(reached).error();
  position_ = *reached;
  return {};
}

Outcome<RecordBlock> RecordReader::next(std::uint64_t end) {
  while (position_ < end) {
    if (auto passed = pass_marks(); !passed) return std::move(passed).error();
    auto taken = whole(std::min(end, marks_.place()));
    if (!taken) return std::move(taken).error();
    if (taken->records > 0) return take(*taken);
    drop(taken->bytes);
    if (taken->bytes > 0) continue;
    if (ended_ && available() == 0) break;
    if (ended_) return broken(app::BadRecord(position_, "does not end"));
    if (available() > rule_.record_bytes_max) return too_long(position_);
    if (auto filled = fill(end); !filled) return std::move(filled).error();
  }
  return RecordBlock{};
}

// What the buffer begins with, of that which begins before `end`.
Outcome<app::WholeRecords> RecordReader::whole(std::uint64_t end) const {
  if (available() == 0) return app::WholeRecords{};
  try {
    const app::WholeRecords taken = rule_.format->take(window(), end - position_);
    ONTIME_CHECK(taken.bytes <= available(), "a format takes what there is");
    return taken;
  } catch (const std::exception& problem) {
    return broken(problem);
  }
}

Outcome<RecordBlock> RecordReader::take(app::WholeRecords whole) {
  const std::string_view bytes(unclaimed(), whole.bytes);
  if (bytes.size() > rule_.record_bytes_max) {
    if (auto fit = check_lengths(bytes); !fit) return std::move(fit).error();
  }
  RecordBlock block{{bytes, position_, rule_.format.get()}, whole.records};
  drop(whole.bytes);
  if (auto passed = pass_marks(); !passed) return std::move(passed).error();
  return block;
}

Outcome<void> RecordReader::pass_marks() {
  if (marks_.pass(position_)) return {};
  if (auto same = input_->check_unchanged(); !same) return same;
  return Fault{FaultKind::BadRecord, "the record before byte " + std::to_string(position_) + " of " + file_.path +
                                         " does not end where the index of the file says; submit the job again"};
}

void RecordReader::drop(std::size_t bytes) {
  first_ += bytes;
  position_ += bytes;
}

// Needed only for a block that is longer than a record may be.
Outcome<void> RecordReader::check_lengths(std::string_view records) const {
  for (std::size_t begin = 0; begin < records.size();) {
    const std::string_view rest = records.substr(begin);
    const std::size_t size = rule_.format->find_end({rest, position_ + begin}).value_or(rest.size());
    if (size > rule_.record_bytes_max) return too_long(position_ + begin);
    begin += size;
  }
  return {};
}

// Reads at least one more byte, or notices the end. Not far past `end`, and a long record in growing steps, so that
// looking for its end again each time stays cheap.
Outcome<void> RecordReader::fill(std::uint64_t end, std::uint64_t room) {
  make_room(room);
  const std::uint64_t read_up_to = position_ + available();
  const std::uint64_t to_end = end > read_up_to ? end - read_up_to : 0;
  const std::uint64_t wanted = std::max<std::uint64_t>({to_end, available(), kReadBytesMin});
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, capacity_ - last_));
  auto got = source_->read(buffer_.get() + last_, size);
  if (!got) return std::move(got).error();
  last_ += *got;
  ended_ = *got < size;
  return {};
}

// The unclaimed bytes move to the front of the buffer, which grows while one record fills it and shrinks afterwards.
void RecordReader::make_room(std::uint64_t room) {
  const std::size_t keep = available();
  std::size_t capacity = block_bytes_;
  while (capacity < std::max<std::uint64_t>(keep * 2, room)) capacity *= 2;
  if (capacity > block_bytes_) {
    const std::uint64_t most = std::max<std::uint64_t>(rule_.record_bytes_max, keep) + block_bytes_;
    capacity = static_cast<std::size_t>(std::min<std::uint64_t>(capacity, most));
  }
  if (capacity == capacity_) {
    std::memmove(buffer_.get(), unclaimed(), keep);
  } else {
    auto buffer = std::make_unique_for_overwrite<char[]>(capacity);
    std::memcpy(buffer.get(), unclaimed(), keep);
    buffer_ = std::move(buffer);
    capacity_ = capacity;
  }
  first_ = 0;
  last_ = keep;
}

Outcome<std::uint64_t> RecordReader::align(std::uint64_t at, std::uint64_t end) const {
  if (at == 0 || at >= end) return std::min(at, end);
  const app::RecordFormat& format = *rule_.format;
  if (format.look_back() == app::RecordFormat::kFromTheBegin) return marks_.next_from(at, end);
  if (format.look_back() == 0) return std::min(end, format.find_begin({{}, at}, at).at);
  return file_.codec == Codec::Plain ? look_up(at, end) : Outcome<std::uint64_t>(at);
}

// Where that takes long, `at` will do.
Outcome<std::uint64_t> RecordReader::look_up(std::uint64_t at, std::uint64_t end) const {
  const std::uint64_t begin = at - std::min<std::uint64_t>(at, rule_.format->look_back());
  std::string bytes;
  for (std::size_t wanted = static_cast<std::size_t>(at - begin) + kLookUpLeast; wanted <= kLookUpMost; wanted *= 2) {
    bool is_end = false;
    for (std::size_t size = bytes.size(); size < wanted && !is_end; size = bytes.size()) {
      bytes.resize(wanted);
      auto got = input_->read_at(bytes.data() + size, wanted - size, begin + size);
      if (!got) return std::move(got).error();
      bytes.resize(size + *got);
      is_end = *got == 0;
    }
    try {
      const app::Search search = rule_.format->find_begin({bytes, begin, is_end, rule_.record_bytes_max}, at);
      if (search.result == app::Search::Result::Found) return std::min(end, search.at);
      if (search.result == app::Search::Result::NeedsBefore) break;
    } catch (const std::exception& problem) {
      return broken(problem);
    }
  }
  return at;
}

Fault RecordReader::too_long(std::uint64_t offset) const {
  return bad_record(file_.path, offset,
                    " is longer than the limit of " + format_size(rule_.record_bytes_max) +
                        "; raise it with --max-record, or break the record up");
}

Fault RecordReader::broken(const std::exception& problem) const {
  const auto* const record = dynamic_cast<const app::BadRecord*>(&problem);
  if (record != nullptr) return bad_record(file_.path, record->offset(), std::string(" ") + record->what());
  return bad_record(file_.path, position_, std::string(" cannot be told from the next: ") + problem.what());
}

}  // namespace ontime::worker
