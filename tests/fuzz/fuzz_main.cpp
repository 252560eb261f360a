// libFuzzer's side: $ONTIME_FUZZ names the target.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/targets.h"

namespace {

const ontime::fuzz::Target* target = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  const char* name = std::getenv("ONTIME_FUZZ");
  target = name == nullptr ? nullptr : ontime::fuzz::find_target(name);
  if (target != nullptr) return 0;
  std::fprintf(stderr, "ONTIME_FUZZ has to name one of:\n");
  for (const auto& known : ontime::fuzz::targets()) std::printf("%s\n", known.name);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target->feed({reinterpret_cast<const char*>(data), size});
  return 0;
}
