#include "common/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace ontime {
namespace {

CheckHandler handler = nullptr;

}  // namespace

void set_check_handler(CheckHandler to) { handler = to; }

void check_failed(const char* condition, const char* message, const char* file, int line) {
  if (handler != nullptr) handler(message);
  std::fprintf(stderr, "%s:%d: %s (broken invariant: %s)\n", file, line, message, condition);
  std::abort();
}

}  // namespace ontime
