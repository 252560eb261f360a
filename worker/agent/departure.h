#pragma once
// How the worker ends: on SIGTERM and SIGINT, and before its machine does. It tells the master that it leaves, and runs
// on until it is released: the master gives it no more work, has its attempts stop at their next record, and releases
// it when all that they have sealed is durable (scheduler/core/node.h has the promise). Its wait is bounded:
//
//   1st signal, or another reason
//               -> leaves, for `patience` at most; at once if it has nothing and no master, or was never let in
//   patience up -> reports that it ends now, so that its attempts start again elsewhere at once, and waits for the
//                  answer for at most kLastWord
//   2nd signal  -> ends now, without a report; the master notices by its time-out
//
// One thread; outlives the run of its io_context.

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <string_view>

#include "common/base/time.h"
#include "worker/agent/attempts/slots.h"
#include "worker/agent/session/master_link.h"
#include "worker/agent/session/report_log.h"

namespace ontime::worker {

class Departure final : public LeaveEvents {
 public:
  static constexpr Duration kLastWord = std::chrono::milliseconds(500);

  struct Parts {
    MasterLink& master;
    const Slots& slots;
    const ReportLog& reports;
    std::function<void()> end;  // ends the worker; may be called more than once
  };
  // The parts outlive it.
  Departure(asio::any_io_executor executor, Duration patience, Parts parts);

  void on_told_to_end(int signal);
  // Leaves for that reason, as a signal would have it, and waits for `patience_max` at most. Nothing if it leaves
  // already.
  void leave(std::string_view reason, Duration patience_max = Duration::max());
  // Leaves so early that it has `lead` to hand over.
  void leave_before(std::chrono::steady_clock::time_point end, Duration lead);

  void on_released() override;
  void on_session_over() override;

 private:
  bool has_something() const { return parts_.slots.attempt_count() > 0 || !parts_.reports.unacknowledged().empty(); }
  void give_up();
  template <class Then>
  void after(Duration pause, Then then);

  const Duration patience_;
  const Parts parts_;
  asio::steady_timer timer_;
  asio::steady_timer time_limit_;
  bool is_told_ = false;  // by a signal
  bool leaves_ = false;
  bool has_given_up_ = false;
};

}  // namespace ontime::worker
