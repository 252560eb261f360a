#pragma once
// The bytes of one input as a sequential stream, decompressed. Offsets count the uncompressed stream.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/byte_range.h"
#include "common/base/codec.h"
#include "common/files/roots.h"
#include "worker/data/fault.h"

namespace ontime::worker {

// One input file as it was at submission.
struct InputFile {
  std::string path;        // or a URL
  std::uint64_t size = 0;  // bytes as stored
  std::string version;     // whatever where it lies tells its contents apart by
  Codec codec = Codec::Plain;
  std::uint64_t content_bytes = 0;  // of a compressed file; 0: unknown
  // Where reading of the file may begin, in order, and where records do that only a reader from the begin can tell:
  // from its headers or found by an earlier job. A reader that passes a point checks it.
  std::vector<AccessPoint> points{};
  // A place that the job itself has been at, or one of the points that needs a window.
  std::optional<StartPoint> start{};

  std::uint64_t length() const { return codec == Codec::Plain ? size : content_bytes; }  // 0: unknown
};

// That file opened, wherever it lies. Opening, or the first read where that can be done meanwhile, and every sealing
// compare size and version: a changed input must fail the job rather than give a wrong answer.
class StoredInput {
 public:
  explicit StoredInput(InputFile file) : file_(std::move(file)) {}
  virtual ~StoredInput() = default;

  const InputFile& file() const { return file_; }
  // Reads up to `size` stored bytes; 0 at the end the file had at submission. Unless the codec is Plain, each read
  // begins where the one before has ended.
  virtual Outcome<std::size_t> read_at(char* to, std::size_t size, std::uint64_t offset) = 0;
  virtual Outcome<void> check_unchanged() = 0;
  virtual bool has_parts() const { return true; }  // false: it comes from its begin only

 protected:
  Fault changed(const std::string& how) const;

 private:
  const InputFile file_;
};

// Called with what reading a file shows that may not be begun anywhere: where it may be, and how much the file holds.
struct InputNotes {
  std::function<void(StartPoint)> on_point{};   // empty: nobody
  std::function<void(std::uint64_t)> on_end{};  // the file holds so much
  // The least content from one note to the next: four times as much for a note with a window, and more in a long file.
  // Less than a block of bzip2 (900 kB), because a reader that begins inside a block reads the block from its begin.
  std::uint64_t apart = 768u << 10;
  bool also_of_known = false;  // of a file too whose headers tell where reading may begin

  // As it goes on, so that a file has about a thousand notes at first, and then about 700 for each doubling of what it
  // holds.
  std::uint64_t apart_at(std::uint64_t offset, std::uint64_t times = 1) const {
    constexpr std::uint64_t kMost = 256u << 20;
    return std::max(apart * times, std::min(offset / 1024, kMost));
  }
};

// What an attempt may read.
struct InputAccess {
  files::Roots roots{};  // a file that lies outside of them is a fault
  // A file of a store is fetched from an address that is good for some minutes: this asks for a fresh one.
  std::function<Outcome<std::string>()> address{};
  // Where, of the stored bytes, the reader means to end: nothing behind is fetched ahead.
  std::uint64_t end = ~std::uint64_t{0};
  InputNotes notes{};
  std::uint64_t window_bytes_max = 128u << 20;  // what decompressing may look back at
  // Where requests cost much: what one brings at most. A block of HDFS: the server that has it is asked for it.
  std::uint64_t long_request_bytes = 128u << 20;
};
Outcome<std::unique_ptr<StoredInput>> open_input(InputFile file, const InputAccess& access = {});
// open_input() for a local file, and for one that a web server or a store has.
Outcome<std::unique_ptr<StoredInput>> open_local_input(InputFile file, const InputAccess& access);
Outcome<std::unique_ptr<StoredInput>> open_http_input(InputFile file, const InputAccess& access);

class InputSource {
 public:
  virtual ~InputSource() = default;

  // The next bytes, at most `size` > 0 of them; fewer only at the end, 0 after it.
  virtual Outcome<std::size_t> read(char* to, std::size_t size) = 0;
  // Goes on to `offset` of the stream, which must not lie behind; returns where it really stands: less if the stream
  // ends before. A compressed stream is read and thrown away up to there, from the last access point before `begin`:
  // where the range begins that is read for. The reader of the range before checks the point.
  virtual Outcome<std::uint64_t> skip_to(std::uint64_t offset, std::uint64_t begin) = 0;
  // Another place to begin at, for the next skip.
  virtual void offer(StartPoint /*start*/) {}
};

// `input` must outlive the source.
std::unique_ptr<InputSource> make_source(StoredInput& input, const InputAccess& access = {});

}  // namespace ontime::worker
