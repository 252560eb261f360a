#pragma once
// Directories that files have to lie in. Judged by where a file really is, not by the name it was asked for by. A
// value; any thread.

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace ontime::files {

class Roots {
 public:
  // Everything may be used.
  Roots() = default;
  // BadInput unless each is a directory that is there, by its absolute path. None: everything may be used.
  static Result<Roots> make(const std::vector<std::string>& directories);
  // From the resolved() of others.
  static Roots of_resolved(std::vector<std::string> directories);

  bool are_everywhere() const { return resolved_.empty(); }
  // Whether `path`, absolute and free of links and dots, is one of them or lies in one.
  bool hold(std::string_view path) const;
  // Whether `path` looks so by its name alone.
  bool seem_to_hold(std::string_view path) const;
  // Whether it lies in one of them, and is none itself.
  bool hold_inside(std::string_view path) const;

  // Without links and dots, in the order given.
  const std::vector<std::string>& resolved() const { return resolved_; }
  std::string text() const;  // as given: "/data, /srv/in"

 private:
  std::vector<std::string> given_;
  std::vector<std::string> resolved_;
};

}  // namespace ontime::files
