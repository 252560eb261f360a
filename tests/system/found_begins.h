#pragma once
// Files of which only a reader from the begin on can tell where their records begin.

#include <functional>
#include <string>

#include "tests/system/cluster.h"

namespace ontime::test {

// Runs two jobs for each of some such files, which `put` stores under a name and returns the address of. The first has
// to read all in one task; what it has found out divides the second. Both see all records.
void expect_next_jobs_divided(
    Cluster& cluster, const std::function<std::string(const std::string& name, const std::string& content)>& put);

}  // namespace ontime::test
