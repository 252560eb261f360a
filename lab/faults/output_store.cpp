#include "lab/faults/output_store.h"

#include <charconv>

namespace ontime::lab::faults {
namespace {

constexpr char kPrefix[] = "/simulated/out-";

}  // namespace

std::string name_of_directory(std::uint32_t number) { return kPrefix + std::to_string(number); }

std::uint32_t directory_of(const std::string& name) {
  std::uint32_t number = 0;
  std::from_chars(name.data() + sizeof kPrefix - 1, name.data() + name.size(), number);
  return number;
}

}  // namespace ontime::lab::faults
