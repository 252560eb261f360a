#include "master/journal/journal_identity.h"

#include <cstdint>
#include <cstdio>
#include <random>

#include "common/base/units.h"
#include "master/journal/journal.h"

namespace ontime::journal {

std::string make_cluster_id() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 4; ++i) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", random());
    id += digits;
  }
  return id;
}

std::string wrong_format(const std::string& format) {
  const std::uint32_t number = number_in<std::uint32_t>(format).value_or(0);
  if (number == kJournalFormat) return {};
  if (number == 0) return "its format number is damaged";
  if (number > kJournalFormat) {
    return "it has format " + format + " and this ontime-master knows formats up to " + std::to_string(kJournalFormat) +
           "; use the newer ontime-master that wrote it";
  }
  return "it has format " + format + " and this ontime-master reads format " + std::to_string(kJournalFormat) +
         "; let the ontime-master that wrote it finish its jobs, then start with another --journal";
}

}  // namespace ontime::journal
