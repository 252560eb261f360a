#include "master/mounts/file_system.h"

namespace ontime::master {
namespace {

thread_local std::atomic<std::uint64_t>* count_of_this_thread = nullptr;

}  // namespace

void note_progress() {
  if (count_of_this_thread != nullptr) ++*count_of_this_thread;
}

ProgressOf::ProgressOf(std::atomic<std::uint64_t>& count) { count_of_this_thread = &count; }
ProgressOf::~ProgressOf() { count_of_this_thread = nullptr; }

}  // namespace ontime::master
