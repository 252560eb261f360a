#pragma once
// Python, for the programs that run a part of theirs in it.

#include <string>
#include <vector>

namespace ontime {

// $PYTHONPATH with the package `ontime` that lies beside this program, in a build or in an installed tree, in front. As
// it is if there is none: then the interpreter's own packages are looked at.
std::string python_path();
// What to try, in this order: $ONTIME_PYTHON alone if that is set.
std::vector<std::string> python_interpreters();

}  // namespace ontime
