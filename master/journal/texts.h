#pragma once
// Texts one behind another: each is its length (4 bytes, little endian) and its bytes.

#include <cstddef>
#include <string>
#include <string_view>

#include "common/base/little_endian.h"

namespace ontime::journal {

inline constexpr std::size_t kLengthBytes = 4;

inline void append_text(std::string& to, std::string_view text) {
  to += little_endian(text.size(), kLengthBytes);
  to += text;
}

// Takes what is in front of some bytes; says so once they end too early.
class TextReader {
 public:
  explicit TextReader(std::string_view left) : left_(left) {}

  std::string_view take(std::size_t size) {
    is_short_ = is_short_ || size > left_.size();
    if (is_short_) return {};
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }
  std::string_view take_text() { return take(from_little_endian<std::size_t>(take(kLengthBytes))); }
  bool is_short() const { return is_short_; }
  bool is_at_end() const { return left_.empty(); }
  std::size_t left() const { return left_.size(); }

 private:
  std::string_view left_;
  bool is_short_ = false;
};

}  // namespace ontime::journal
