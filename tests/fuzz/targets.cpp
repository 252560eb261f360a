#include "tests/fuzz/targets.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "common/base/check.h"

namespace ontime::fuzz {
namespace {

constexpr std::array kTargets{Target{"frames", feed_frames},
                              Target{"client", feed_client},
                              Target{"runner", feed_runner},
                              Target{"worker", feed_worker},
                              Target{"injection", feed_injection},
                              Target{"scenario", feed_scenario},
                              Target{"study", feed_study},
                              Target{"experiment", feed_experiment},
                              Target{"manifest", feed_manifest},
                              Target{"lines", feed_lines},
                              Target{"fixed", feed_fixed},
                              Target{"formats", feed_formats},
                              Target{"gzip", feed_gzip},
                              Target{"zstd", feed_zstd},
                              Target{"journal", feed_journal},
                              Target{"recording", feed_recording},
                              Target{"http", feed_http},
                              Target{"words", feed_words},
                              Target{"xz", feed_xz},
                              Target{"bzip2", feed_bzip2},
                              Target{"application", feed_application}};

}  // namespace

std::span<const Target> targets() { return kTargets; }

const Target* find_target(std::string_view name) {
  const auto* found = std::find_if(kTargets.begin(), kTargets.end(), [&](const Target& t) { return name == t.name; });
  return found == kTargets.end() ? nullptr : found;
}

std::string file_with(std::string_view bytes) {
  static const int descriptor = ::memfd_create("fuzz", MFD_CLOEXEC);
  ONTIME_CHECK(descriptor >= 0 && ::ftruncate(descriptor, 0) == 0 &&
                   ::pwrite(descriptor, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
               "a file in memory can be written");
  return "/proc/self/fd/" + std::to_string(descriptor);
}

}  // namespace ontime::fuzz
