#pragma once

#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace ontime {

// Threads that help the caller with `work`, each of which calls it once. Fewer than `count` where the system gives no
// more. They are joined when the result is destroyed, and what `work` refers to must live until then.
std::vector<std::jthread> start_helpers(std::size_t count, const std::function<void()>& work);

}  // namespace ontime
