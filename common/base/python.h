#pragma once
// Python, for the programs that run a part of theirs in it.

#include <string>
#include <vector>

namespace ontime {

// What Python's environment has in place of this program's, as NAME=VALUE. $PYTHONPATH begins with the package `ontime`
// that lies beside this program, in a build or in an installed tree; if there is none, it is as it was, and the
// interpreter's own packages are looked at. No file in the working directory is taken for a module.
std::vector<std::string> python_environment();
// What to try, in this order: $ONTIME_PYTHON alone if that is set.
std::vector<std::string> python_interpreters();

}  // namespace ontime
