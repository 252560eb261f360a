#pragma once
// An answer in memory.

#include <algorithm>
#include <string>
#include <vector>

#include "common/app/application.h"

namespace ontime::cli {

class TextOutput final : public app::Output {
 public:
  std::string text() {
    make_room(0);
    return text_;
  }

 protected:
  void make_room(std::size_t size) override {
    if (next_ != nullptr) text_.append(buffer_.data(), static_cast<std::size_t>(next_ - buffer_.data()));
    buffer_.resize(std::max<std::size_t>(size, 100));
    next_ = buffer_.data();
    end_ = next_ + buffer_.size();
  }

 private:
  std::string text_;
  std::vector<char> buffer_;
};

}  // namespace ontime::cli
