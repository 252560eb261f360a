#include "common/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace ontime {

void check_failed(const char* condition, const char* message, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: %s (broken invariant: %s)\n", file, line, message, condition);
  std::abort();
}

}  // namespace ontime
