#include "worker/data/record_marks.h"

#include <algorithm>
#include <utility>

#include "common/records/formats.h"

namespace ontime::worker {

RecordMarks::RecordMarks(InputFile& file, const app::RecordFormat& format) : bit_(records::mark_of(format)) {
  for (AccessPoint& point : file.points) {
    if ((point.state & bit_) != 0) marks_.push_back(point.content);
    point.state &= ~records::kMarks;
  }
  if (file.start) offer(*file.start);
}

void RecordMarks::offer(StartPoint& start) {
  if ((start.point.state & bit_) != 0) start_ = start.point.content;
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
    if (noted.point.content == position && !noted.point.needs_window()) noted.point.state |= bit_;
    on_point_(std::move(noted));
  }
  for (; next_ < marks_.size() && marks_[next_] <= position; ++next_) {
    if (marks_[next_] != position) return false;
  }
  return true;
}

void RecordMarks::jump(std::uint64_t position) {
  next_ = static_cast<std::size_t>(std::lower_bound(marks_.begin(), marks_.end(), position) - marks_.begin());
}

InputNotes RecordMarks::listen(InputNotes notes) {
  if (bit_ == 0 || !notes.on_point) return notes;
  on_point_ = std::move(notes.on_point);
  notes.on_point = [this](StartPoint start) { noted_.push_back(std::move(start)); };
  return notes;
}

}  // namespace ontime::worker
