#pragma once
// How `exec` folds the values of a key, as its parameter `merge` says.

#include <memory>
#include <string>
#include <string_view>

#include "common/app/application.h"

namespace ontime::apps {

// "sum", "max", "min" of numbers, "list", or a shell command; null for an empty text: nothing is merged.
std::unique_ptr<app::Merger> make_merger(const std::string& how);

// Looks at the lines that a command writes, so that a value which cannot be merged fails its attempt and not the
// answer.
class NumberLines {
 public:
  // With "list", a command or an empty text any line will do.
  explicit NumberLines(std::string_view how = {});
  // Bytes as they come, cut anywhere.
  void add(std::string_view bytes);
  // Throws std::runtime_error if a line was wrong. Once the command has ended: its status says more than its last
  // words.
  void check() const;

 private:
  static constexpr std::size_t kShown = 80;  // bytes

  void refuse(std::string_view part);

  std::string how_;  // empty: nothing is wrong
  bool has_tab_ = false;
  std::string value_;  // as far as it has come; before the tab, the begin of the line
  std::string refusal_;
};

}  // namespace ontime::apps
