#include <sys/mman.h>

#include <array>

#include "common/base/check.h"
#include "tests/faults/cluster_run.h"

namespace ontime::lab::faults {
namespace {

constexpr unsigned kIndexBits = 20;  // many more than there are places, so that few share a counter
constexpr std::size_t kPlaces = std::size_t{1} << kIndexBits;
using Reached = std::array<std::uint8_t, kPlaces>;  // a bit for each of the levels below
constexpr std::array<unsigned, 3> kLevels{1, 8, 64};

std::array<std::uint8_t, kPlaces> counts;
Reached* shared = nullptr;

}  // namespace

void share_reached() {
  void* const at = ::mmap(nullptr, sizeof(Reached), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ONTIME_CHECK(at != MAP_FAILED, "there is memory for a map of places");
  shared = static_cast<Reached*>(at);  // zeros
}

void begin_to_count() {
  if (are_places_counted()) counts.fill(0);
}

std::uint32_t newly_reached() {
  std::uint32_t count = 0;
  for (std::size_t i = 0; shared != nullptr && i < kPlaces; ++i) {
    std::uint8_t bits = 0;
    for (std::size_t level = 0; level < kLevels.size(); ++level) {
      if (counts[i] >= kLevels[level]) bits = static_cast<std::uint8_t>(bits | 1u << level);
    }
    const bool is_new = bits != 0 && (__atomic_fetch_or(&(*shared)[i], bits, __ATOMIC_RELAXED) & bits) != bits;
    if (is_new) ++count;
  }
  return count;
}

#ifdef ONTIME_COUNT_PLACES
bool are_places_counted() { return true; }
#else
bool are_places_counted() { return false; }
#endif

}  // namespace ontime::lab::faults

extern "C" const char __ehdr_start;  // where the program begins: addresses differ from run to run
// Called at every place by what is compiled with -fsanitize-coverage=trace-pc.
extern "C" void __sanitizer_cov_trace_pc() {
  using namespace ontime::lab::faults;  // NOLINT: this function has the compiler's name
  const auto place = static_cast<std::uint64_t>(static_cast<const char*>(__builtin_return_address(0)) - &__ehdr_start);
  std::uint8_t& count = counts[place * 0x9e3779b97f4a7c15ull >> (64 - kIndexBits)];
  if (count < 255) ++count;
}
