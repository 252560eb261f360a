#pragma once
// A table that people read.

#include <cstddef>
#include <string>
#include <vector>

namespace ontime::lab {

using Cells = std::vector<std::string>;

struct Grid {
  Cells titles;
  std::size_t names = 1;  // the first columns say what a line is about, the others have numbers
  std::vector<Cells> lines{};
};

}  // namespace ontime::lab
