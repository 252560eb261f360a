#pragma once
// What the decompressing sources have in common: a small buffer of stored bytes, skipping by reading, access points
// that are jumped to, checked and noted. Memory is bounded by this buffer and the format's window.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "worker/data/input_source.h"

namespace ontime::worker {

class CompressedSource : public InputSource {
 public:
  Outcome<std::size_t> read(char* to, std::size_t size) final;
  Outcome<std::uint64_t> skip_to(std::uint64_t offset, std::uint64_t begin) final;
  void offer(StartPoint start) final { start_ = std::move(start); }

 protected:
  CompressedSource(StoredInput& input, const InputAccess& access);

  // What one step of decompression did.
  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    const char* error = nullptr;  // why the stream is broken
    bool goes_on = false;         // it can do more without another stored byte
    std::uint64_t window = 0;     // it would take so much memory, which is more than it may take
  };
  // Decompresses some of `stored` into [to, to + size), and stops wherever place() has something to tell. It does
  // nothing at all only if it needs more than `stored`.
  virtual Step decompress(std::string_view stored, char* to, std::size_t size) = 0;
  // Everything given so far is consumed as a whole: the stream may end here.
  virtual bool may_end() const = 0;

  // See AccessPoint.
  struct StoredPosition {
    std::uint64_t stored = 0;
    std::uint64_t state = 0;
  };
  // Where what comes next begins, if reading may begin there; `position`: in the file, of the next byte to be consumed.
  virtual std::optional<StoredPosition> place(std::uint64_t position) const = 0;
  // The content before, if it is needed to go on from here.
  virtual bool needs_window() const { return false; }
  virtual std::string window() { return {}; }
  // Behind the end of a stream: another may begin with this byte. Zero bytes there are padding and not given to it.
  virtual bool may_follow(char first) const = 0;
  const char* stranger();  // the error if none does

  // What comes next is what follows such a place. False if there is none like it.
  virtual bool restart(const StartPoint& start) = 0;

  std::uint64_t window_bytes_max() const { return window_bytes_max_; }

 private:
  static constexpr std::size_t kStoredBytes = 64 << 10;
  Outcome<std::size_t> read_some(char* to, std::size_t size);
  Outcome<bool> skip_padding();  // whether there was any
  Outcome<bool> refill();        // false at the end of the file
  Outcome<void> jump_towards(std::uint64_t begin);
  bool meets_points();
  void note_place();
  std::uint64_t stored_position() const { return stored_offset_ - (stored_end_ - stored_begin_); }
  Fault broken(const char* why) const;
  Fault inside(const char* what) const;
  Fault too_large(std::uint64_t window) const;

  StoredInput& input_;
  const InputNotes notes_;
  const std::uint64_t window_bytes_max_;
  std::optional<StartPoint> start_;
  std::array<char, kStoredBytes> stored_;
  std::size_t stored_begin_ = 0;
  std::size_t stored_end_ = 0;
  std::uint64_t stored_offset_ = 0;  // in the file, of stored_[stored_end_]
  std::uint64_t offset_ = 0;         // in the stream, of the next byte
  std::size_t next_point_ = 0;       // of the file's access points, the first that was not met
  std::uint64_t noted_ = 0;          // offset of the last place that was noted
  std::string stranger_;             // keeps that error
};

// The content before an access point that decompressing from there needs, as it is stored, and named by a hash that
// nobody can find another window for.
WindowHash hash_of_window(std::string_view window);
std::string pack_window(std::string_view window);
// Nothing unless it is the window with that hash.
std::optional<std::string> unpack_window(std::string_view packed, const WindowHash& hash);

std::unique_ptr<InputSource> make_gzip_source(StoredInput& input, const InputAccess& access);
std::unique_ptr<InputSource> make_zstd_source(StoredInput& input, const InputAccess& access);
std::unique_ptr<InputSource> make_xz_source(StoredInput& input, const InputAccess& access);
std::unique_ptr<InputSource> make_bzip2_source(StoredInput& input, const InputAccess& access);

}  // namespace ontime::worker
