// A shared object of an interface that never was.
#include <cstdint>

extern "C" __attribute__((visibility("default"))) const std::uint32_t ontime_application_interface = 4'000'000'000u;
extern "C" __attribute__((visibility("default"))) const void* ontime_application() { return nullptr; }
