#pragma once
// An Output that appends to a string.

#include <string>

#include "common/app/application.h"

namespace ontime::apps {

class TextOutput final : public app::Output {
 public:
  // `text` is complete after finish(), which is the last call.
  explicit TextOutput(std::string& text) : text_(text), filled_(text.size()) { grow(0); }
  void finish() { text_.resize(used()); }

 protected:
  void make_room(std::size_t size) override {
    filled_ = used();
    grow(size);
  }

 private:
  void grow(std::size_t size) {
    text_.resize(2 * filled_ + size + 256);
    next_ = text_.data() + filled_;
    end_ = text_.data() + text_.size();
  }
  std::size_t used() const { return static_cast<std::size_t>(next_ - text_.data()); }

  std::string& text_;
  std::size_t filled_;  // when room was made last
};

}  // namespace ontime::apps
