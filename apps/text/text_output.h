#pragma once
// An Output that appends to a string.

#include <string>

#include "common/app/output.h"

namespace ontime::apps {

class TextOutput final : public app::Output {
 public:
  // `text` is complete after finish(), which is the last call.
  explicit TextOutput(std::string& text) : text_(text) {}
  void finish() {
    if (next_ != nullptr) text_.resize(used());
  }

 protected:
  void make_room(std::size_t size) override {
    const std::size_t filled = next_ == nullptr ? text_.size() : used();
    text_.resize(filled);
    text_.resize(2 * filled + size + 256);
    next_ = text_.data() + filled;
    end_ = text_.data() + text_.size();
  }

 private:
  std::size_t used() const { return static_cast<std::size_t>(next_ - text_.data()); }
  std::string& text_;
};

}  // namespace ontime::apps
