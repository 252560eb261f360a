#include "worker/data/record_marks.h"

#include <algorithm>
#include <utility>

#include "common/records/formats.h"

namespace ontime::worker {

RecordMarks::RecordMarks(InputFile& file, const app::RecordFormat& format)
    : bit_(records::mark_of(format)), plain_bytes_(file.codec == Codec::Plain ? file.size : 0) {
  for (AccessPoint& point : file.points) {
    if (const auto at = records::marked_at(point, bit_)) marks_.push_back(*at);
    point.state &= ~records::kMarks;
  }
  std::sort(marks_.begin(), marks_.end());  // in order, whatever the index says
  if (file.start) offer(*file.start);
}

void RecordMarks::offer(StartPoint& start) {
  if (const auto at = records::marked_at(start.point, bit_)) start_ = *at;
  start.point.state &= ~records::kMarks;
}

std::uint64_t RecordMarks::before(std::uint64_t begin) const {
  const auto behind = std::lower_bound(marks_.begin(), marks_.end(), begin);
  const std::uint64_t last = behind == marks_.begin() ? 0 : *std::prev(behind);
  return start_ < begin ? std::max(start_, last) : last;
}

std::uint64_t RecordMarks::next_from(std::uint64_t at, std::uint64_t end) const {
  const auto next = std::lower_bound(marks_.begin(), marks_.end(), at);
  return next == marks_.end() ? end : std::min(*next, end);
}

std::uint64_t RecordMarks::place() const {
  const std::uint64_t mark = next_ < marks_.size() ? marks_[next_] : kUnknownEnd;
  return noted_.empty() ? mark : std::min(mark, noted_.front().point.content);
}

bool RecordMarks::pass(std::uint64_t position) {
  for (; !noted_.empty() && noted_.front().point.content <= position; noted_.pop_front()) {
    StartPoint& noted = noted_.front();
    records::put_mark(noted.point, bit_, position);
    to_tell_.on_point(std::move(noted));
  }
  if (plain_bytes_ > 0 && to_tell_.on_point) note(position);
  for (; next_ < marks_.size() && marks_[next_] <= position; ++next_) {
    if (marks_[next_] != position) return false;
  }
  return true;
}

void RecordMarks::note(std::uint64_t position) {
  if (position == plain_bytes_) {
    if (position > to_tell_.apart && to_tell_.on_end) to_tell_.on_end(position);
    to_tell_ = {};
  } else if (position - last_ >= to_tell_.apart_at(position)) {
    last_ = position;
    to_tell_.on_point({{position, position, bit_}});
  }
}

void RecordMarks::jump(std::uint64_t position) {
  last_ = position;
  next_ = static_cast<std::size_t>(std::lower_bound(marks_.begin(), marks_.end(), position) - marks_.begin());
}

InputNotes RecordMarks::listen(InputNotes notes) {
  if (bit_ == 0 || !marks_.empty() || !notes.on_point) return notes;
  to_tell_ = notes;
  notes.on_point = [this](StartPoint start) { noted_.push_back(std::move(start)); };
  notes.also_of_known = true;
  return notes;
}

}  // namespace ontime::worker
