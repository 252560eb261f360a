#pragma once
// The bytes of one input as a sequential stream, decompressed. Offsets count the uncompressed stream.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/access_point.h"
#include "common/files/roots.h"
#include "worker/data/fault.h"

namespace ontime::worker {

// One input file as it was at submission.
enum class Codec { Plain, Gzip, Zstd, Stream };  // as scheduler::Codec

struct InputFile {
  std::string path;        // or a URL
  std::uint64_t size = 0;  // bytes as stored
  std::string version;     // whatever where it lies tells its contents apart by
  Codec codec = Codec::Plain;
  std::uint64_t content_bytes = 0;    // of a compressed file; 0: unknown
  std::vector<AccessPoint> points{};  // in order: where reading of a compressed file may begin, as its headers say

  std::uint64_t length() const { return codec == Codec::Plain ? size : content_bytes; }  // 0: unknown
};

// That file opened, wherever it lies. Opening and every sealing compare size and version: a changed input must fail the
// job rather than give a wrong answer.
class StoredInput {
 public:
  explicit StoredInput(InputFile file) : file_(std::move(file)) {}
  virtual ~StoredInput() = default;

  const InputFile& file() const { return file_; }
  // Reads up to `size` stored bytes; 0 at the end the file had at submission. Unless the codec is Plain, each read
  // begins where the one before has ended.
  virtual Outcome<std::size_t> read_at(char* to, std::size_t size, std::uint64_t offset) = 0;
  virtual Outcome<void> check_unchanged() = 0;

 protected:
  Fault changed(const std::string& how) const;

 private:
  const InputFile file_;
};

// What an attempt may read.
struct InputAccess {
  files::Roots roots{};  // a file that lies outside of them is a fault
  // A file of a store is fetched from an address that is good for some minutes: this asks for a fresh one.
  std::function<Outcome<std::string>()> address{};
  // Where, of the stored bytes, the reader means to end: nothing behind is fetched ahead.
  std::uint64_t end = ~std::uint64_t{0};
};
Outcome<std::unique_ptr<StoredInput>> open_input(InputFile file, const InputAccess& access = {});
// Of them, a local file and one that a web server or a store has.
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
};

// `input` must outlive the source.
std::unique_ptr<InputSource> make_source(StoredInput& input);

// What the decompressing sources have in common: a small buffer of stored bytes, and skipping by reading. Memory is
// bounded by this buffer and the format's window.
class CompressedSource : public InputSource {
 public:
  Outcome<std::size_t> read(char* to, std::size_t size) final;
  Outcome<std::uint64_t> skip_to(std::uint64_t offset, std::uint64_t begin) final;

 protected:
  explicit CompressedSource(StoredInput& input) : input_(input) {}

  // What one step of decompression did.
  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    const char* error = nullptr;  // why the stream is broken
  };
  // Decompresses some of `stored` into [to, to + size); must consume or produce something unless it is an error.
  virtual Step decompress(std::string_view stored, char* to, std::size_t size) = 0;
  // Everything given so far is consumed as a whole: the stream may end here, and what follows needs nothing of it.
  virtual bool may_end() const = 0;
  // What comes next follows such a place.
  virtual void restart() = 0;

 private:
  static constexpr std::size_t kStoredBytes = 64 << 10;
  Outcome<std::size_t> read_some(char* to, std::size_t size);
  Outcome<bool> refill();  // false at the end of the file
  void jump_towards(std::uint64_t begin);
  bool meets_points();
  std::uint64_t stored_position() const { return stored_offset_ - (stored_end_ - stored_begin_); }
  Fault broken(const char* why) const;

  StoredInput& input_;
  std::array<char, kStoredBytes> stored_;
  std::size_t stored_begin_ = 0;
  std::size_t stored_end_ = 0;
  std::uint64_t stored_offset_ = 0;  // in the file, of stored_[stored_end_]
  std::uint64_t offset_ = 0;         // in the stream, of the next byte
  std::size_t next_point_ = 0;       // of the file's access points, the first that was not met
};

std::unique_ptr<InputSource> make_gzip_source(StoredInput& input);
std::unique_ptr<InputSource> make_zstd_source(StoredInput& input);

}  // namespace ontime::worker
