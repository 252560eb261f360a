#pragma once
// What `aggregate` is asked for: the fields that make a group, and what is taken of the others.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/app/application.h"

namespace ontime::apps {

enum class Taking { Records, Count, Sum, Min, Max, Mean, Distinct, Top };

// One column of the answer.
struct Taken {
  Taking what = Taking::Records;
  std::size_t field = 0;   // in Plan::fields; of all but Records
  std::size_t place = 0;   // in the list of the plan that its kind has
  std::uint32_t most = 0;  // of Top
};

struct Plan {
  std::vector<std::string> fields;  // each once, as it was named: numbers from 1, or names
  std::vector<std::size_t> by;      // in fields, as the next ones
  std::vector<std::size_t> present, numbers, distinct, tops;
  std::vector<Taken> taken;
  bool skips_bad = false;

  // Throws std::invalid_argument with a sentence.
  static Plan parse(const app::Parameters& parameters);
};

}  // namespace ontime::apps
