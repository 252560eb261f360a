#include "worker/agent/main_loop.h"

#include <asio/co_spawn.hpp>
#include <utility>

#include "common/net/coroutine.h"
#include "worker/agent/departure.h"
#include "worker/agent/session/report_log.h"

namespace ontime::worker {

Status run(asio::io_context& io, AttemptOutputs& outputs, MainLoop loop) {
  const auto executor = io.get_executor();
  ReportLog reports;
  LauncherLink launcher(executor, std::move(loop.start_launcher));
  Slots slots(executor, std::move(loop.slots), reports, launcher, outputs);
  if (Status started = slots.start(); !started) return started;
  if (loop.end) loop.master.leaves_at = *loop.end - loop.lead;
  MasterLink master(executor, std::move(loop.master), reports, slots);
  Departure departure(executor, loop.drain_timeout, {master, slots, reports, [&io] { io.stop(); }});
  if (loop.end) departure.leave_before(*loop.end, loop.lead);
  if (loop.watch_notice) loop.watch_notice([&departure] { departure.leave("its machine gives notice"); });
  loop.watch_signals([&departure](int signal) { departure.on_told_to_end(signal); });
  Status end;
  asio::co_spawn(executor, master.run(), [&io, &end](std::exception_ptr exception, Error error) {
    net::AbortOnException{"master link"}(exception);
    end = std::move(error);
    io.stop();
  });
  io.run();
  slots.stop();
  loop.on_end(end);
  return end;
}

}  // namespace ontime::worker
