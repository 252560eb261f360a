#pragma once
// For programs that measure: what has failed ends them with its sentence.

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "common/base/result.h"

namespace ontime::benchmarks {

template <class T>
T good(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}
inline void good(const Status& status) {
  if (!status) good(Result<int>(status.error()));
}

}  // namespace ontime::benchmarks
