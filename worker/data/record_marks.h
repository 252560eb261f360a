#pragma once
// Where records begin in a file of which only a reader from the begin can say so. The places come from an index, and
// are checked: each lies in the range of one reader, which passes it. In a file without such an index an attempt finds
// them out: in a compressed one the first behind each place where reading may begin.

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "common/app/record_format.h"
#include "worker/data/input_source.h"

namespace ontime::worker {

class RecordMarks {
 public:
  // Takes the marks away from the points of the file, which then are good for its bytes alone.
  RecordMarks(InputFile& file, const app::RecordFormat& format);

  // As InputSource::offer(), which comes next.
  void offer(StartPoint& start);
  // The last one before `begin`; 0 if there is none.
  std::uint64_t before(std::uint64_t begin) const;
  // The first one in [at, end), or else `end`.
  std::uint64_t next_from(std::uint64_t at, std::uint64_t end) const;

  // Where records go on is to be found out before this place is passed.
  std::uint64_t place() const;
  // All was read up to `position`, where a record begins. False if none begins where a mark was passed.
  bool pass(std::uint64_t position);
  // Nothing was read up to there.
  void jump(std::uint64_t position);

  // What a source is to tell, so that it is passed on with marks.
  InputNotes listen(InputNotes notes);

 private:
  void note(std::uint64_t position);

  const std::uint64_t bit_;           // of AccessPoint::state
  const std::uint64_t plain_bytes_;   // 0: the file is compressed
  std::vector<std::uint64_t> marks_;  // in order
  std::uint64_t start_ = 0;
  std::size_t next_ = 0;          // of marks_, not passed yet
  std::deque<StartPoint> noted_;  // likewise
  InputNotes to_tell_;            // what is found out
  std::uint64_t last_ = 0;        // where a mark was found in a plain file
};

}  // namespace ontime::worker
