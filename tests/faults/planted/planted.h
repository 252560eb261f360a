#pragma once
// Errors that are planted, to show that fault schedules find them. Each is a patch of this folder, which is named like the
// error and begins with what it is; apply.sh puts all of them into copies of the sources, where they sleep until one is
// chosen. The product knows nothing of them. A patch that does not apply any more fails the build of the tests: the
// patches are made one upon the other, in the order of their names.

#include <string_view>
#include <vector>

namespace ontime {

std::vector<std::string_view> planted_errors();

// Is it that one? For the patches.
bool planted(std::string_view error);

// From now on it is that one; empty: none. For the whole process; not while schedules run. Before the first call it is
// $ONTIME_PLANTED. An unknown name ends the program.
void plant(std::string_view error);

}  // namespace ontime
