#pragma once
// Work on file systems that are not the master's own: inputs that are listed, outputs that are claimed, committed and
// discarded. A mount may hang indefinitely, so each has threads of its own: work for other mounts goes on.
//
// Why threads and not processes: nothing has to be handed over (the plan of a commit can have a million parts), and
// most file systems that hang let go of a thread when its process is killed. One that does not keeps the process's
// entry until it answers, but nothing else: before the process ends, the journal, its lock and all sockets are closed.
// So a hung thread is never joined, it is left behind, and it holds nothing that the master needs: its work owns all
// that it touches.

#include <asio/any_io_executor.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/base/time.h"

namespace ontime::master {

// Asked between any two changes to the disk; false ends the work where it stands. Tells the watch that it gets on.
using MayGoOn = std::function<bool()>;

class FileWork {
 public:
  struct Running;  // a job that was started

  struct Limits {
    Duration stuck_after = std::chrono::seconds(10);  // without any progress
    std::size_t threads = 2;  // at work for one mount
    std::size_t stuck = 8;    // of one mount that hang, beside those
    // Of all mounts that hang. While so many do, only mounts with at most one hanging thread get work done.
    std::size_t stuck_all = 64;
    Duration end_max = std::chrono::seconds(2);  // how long the end waits for threads
  };

  struct Job {
    std::string path;  // that it is about: its mount chooses the thread
    std::function<void(const MayGoOn&)> work;
    // Both are called on the control thread. `done` once, with Failed and a sentence if the work has thrown, or has
    // made no progress for too long. Then may_go_on() is false, and `late` is called when the work has ended after all.
    std::function<void(Status)> done;
    std::function<void()> late = [] {};
    bool gives_up = true;  // false: it waits as long as it takes
  };

  explicit FileWork(asio::any_io_executor control, Limits limits);
  explicit FileWork(asio::any_io_executor control) : FileWork(std::move(control), Limits()) {}
  ~FileWork();  // stops

  // Control thread.
  std::weak_ptr<const Running> start(Job job);
  // Work that is under way ends soon; nothing more is done or answered. False if threads hang and are left behind: the
  // process must end by _exit. They touch nothing of this object. Control thread, after its last handler.
  bool stop();

  // Why a job does not get on, in one sentence; empty if nothing is known to hold it up.
  std::string problem_of(const std::weak_ptr<const Running>& job) const;

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace ontime::master
