// planted_medians: for each planted error the number of schedules that find it, from seed 1 on and as the median of
// five other starts, for docs/reliability.md; what those found goes to standard error. 5001: not found.
//   planted_medians [ERROR...]    only these
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

#include "tests/faults/planted/planted_search.h"

int main(int argc, char** argv) {
  using namespace ontime;
  constexpr std::uint64_t kMost = 5000;
  lab::faults::set_application_directory(ONTIME_FAULT_APPLICATIONS);
  const std::vector<std::string_view> named(argv + 1, argv + argc);
  for (const std::string_view error : named.empty() ? planted_errors() : named) {
    std::string how;
    const auto first = lab::faults::schedules_to_find(error, 1, kMost, how);
    std::array<std::uint64_t, 5> others{};
    for (std::uint64_t start = 1; start <= others.size(); ++start) {
      how.clear();
      others[start - 1] = lab::faults::schedules_to_find(error, start * 10'000'000, kMost, how);
      std::fprintf(stderr, "%s\n", how.c_str());
    }
    std::sort(others.begin(), others.end());
    std::printf("| %s | %llu | %llu |\n", std::string(error).c_str(), static_cast<unsigned long long>(first),
                static_cast<unsigned long long>(others[2]));
    std::fflush(stdout);
  }
}
