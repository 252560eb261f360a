// Preloaded: while the file $ONTIME_TEST_LATE_CLOCK is there, time() is two years ahead. OpenSSL looks at certificates
// with it; Ontime's own clocks are others.
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

extern "C" [[gnu::visibility("default")]] time_t time(time_t* into) noexcept {
  static const auto real = reinterpret_cast<time_t (*)(time_t*)>(dlsym(RTLD_NEXT, "time"));
  static const char* const file = std::getenv("ONTIME_TEST_LATE_CLOCK");
  constexpr time_t kTwoYears = 2 * 365 * 24 * 3600;
  const time_t now = real(nullptr) + (file != nullptr && access(file, F_OK) == 0 ? kTwoYears : 0);
  if (into != nullptr) *into = now;
  return now;
}
