#pragma once
// Files that the arguments of a job have named so far, so that none is read twice.

#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace ontime::master {

class NamedFiles {
 public:
  struct Named {
    std::size_t argument;
    std::string path;  // as it was named first
  };

  // Whether it was named before, as what; null if it was not. `file`: the same for all names of a file.
  const Named* add(const std::string& file, std::string path, std::size_t argument) {
    const auto [named, is_new] = named_.try_emplace(file, Named{argument, std::move(path)});
    return is_new ? nullptr : &named->second;
  }

 private:
  std::map<std::string, Named> named_;
};

}  // namespace ontime::master
