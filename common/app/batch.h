#pragma once
// What a mapper sees: whole records, back to back, as they stand in the input. Applications that only look at bytes
// (word counts) work on `bytes` at once; those that need lines iterate over lines().

#include <cstdint>
#include <cstring>
#include <string_view>

namespace ontime::app {

// One line without its end: neither the line feed nor a carriage return directly before it.
struct Line {
  std::string_view text;
  std::uint64_t offset = 0;  // of its first byte in the (uncompressed) input
};

// A range over the lines of a stretch of text whose last line may lack its end.
class Lines {
 public:
  Lines(std::string_view bytes, std::uint64_t offset) : bytes_(bytes), offset_(offset) {}

  class Iterator {
   public:
    Iterator(const char* at, const char* end, std::uint64_t offset) : at_(at), end_(end), offset_(offset) { find_end(); }
    Line operator*() const {
      const bool has_return = text_end_ > at_ && text_end_ < next_ && text_end_[-1] == '\r';
      return {std::string_view(at_, static_cast<std::size_t>(text_end_ - at_) - (has_return ? 1 : 0)), offset_};
    }
    Iterator& operator++() {
      offset_ += static_cast<std::uint64_t>(next_ - at_);
      at_ = next_;
      find_end();
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    void find_end() {
      if (at_ == end_) return;
      const void* feed = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
      text_end_ = feed != nullptr ? static_cast<const char*>(feed) : end_;
      next_ = feed != nullptr ? text_end_ + 1 : end_;
    }
    const char* at_;
    const char* end_;
    const char* text_end_ = nullptr;
    const char* next_ = nullptr;  // start of the next line
    std::uint64_t offset_;
  };

  Iterator begin() const { return {bytes_.data(), bytes_.data() + bytes_.size(), offset_}; }
  Iterator end() const {
    const char* last = bytes_.data() + bytes_.size();
    return {last, last, offset_ + bytes_.size()};
  }

 private:
  std::string_view bytes_;
  std::uint64_t offset_;
};

struct Batch {
  std::string_view bytes;    // whole records with their ends; never empty; valid during map() only
  std::uint64_t offset = 0;  // of bytes.data() in the (uncompressed) input

  Lines lines() const { return {bytes, offset}; }
};

}  // namespace ontime::app
