#pragma once
// How a file is compressed, by its first bytes: names mislead.

#include <cstddef>
#include <string_view>

#include "scheduler/core/job_spec.h"

namespace ontime::master {

inline constexpr std::size_t kTellingBytes = 10;  // so many first bytes say it

struct InputContent {
  scheduler::Codec codec = scheduler::Codec::Plain;
  std::string_view unreadable{};  // the name of a format that cannot be read; empty: it can
};
InputContent content_of(std::string_view first_bytes);

}  // namespace ontime::master
