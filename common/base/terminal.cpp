#include "common/base/terminal.h"

#include <sys/ioctl.h>

#include "common/base/environment.h"
#include "common/base/units.h"

namespace ontime {
namespace {

std::size_t size_of(int descriptor, const char* variable, unsigned short winsize::*side) {
  if (const auto given = number_in<std::size_t>(environment_variable(variable)); given && *given > 0) return *given;
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.*side : 0;
}

}  // namespace

std::size_t terminal_width(int descriptor) { return size_of(descriptor, "COLUMNS", &winsize::ws_col); }

std::size_t terminal_height(int descriptor) { return size_of(descriptor, "LINES", &winsize::ws_row); }

}  // namespace ontime
