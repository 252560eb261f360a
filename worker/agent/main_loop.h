#pragma once
// The worker's parts, and the loop that runs them on one thread: of ontime-worker and of workers on simulated machines.

#include <asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <optional>

#include "common/base/result.h"
#include "common/base/time.h"
#include "worker/agent/attempts/attempt_outputs.h"
#include "worker/agent/attempts/slots.h"
#include "worker/agent/runners/launcher_link.h"
#include "worker/agent/session/master_link.h"

namespace ontime::worker {

struct MainLoop {
  Slots::Options slots;
  MasterLink::Options master;
  Duration drain_timeout{};
  std::optional<std::chrono::steady_clock::time_point> end;  // of the machine, as far as is known
  Duration lead{};                                           // before that, to hand over
  LauncherStarter start_launcher;
  // From now on every signal that asks the worker to end goes to `on_told_to_end`.
  std::function<void(std::function<void(int signal)> on_told_to_end)> watch_signals;
  // From now on a notice that the machine ends goes to `on_notice`, on the loop's thread. Empty: none is looked for.
  std::function<void(std::function<void()> on_notice)> watch_notice{};
  // Before the parts are destroyed, which may wait for a store.
  std::function<void(const Status& end)> on_end = [](const Status&) {};
};

// Until the worker has left in order; an error says why it could not start, or that no master let it in.
Status run(asio::io_context& io, AttemptOutputs& outputs, MainLoop loop);

}  // namespace ontime::worker
