#pragma once
// What pages draw of jobs: pictures of bounded size (master/clients/overview.h), made in slices and shared by all who
// ask, and forecasts over time. What costs more is kept longer, so that viewers of a large job take a small part of the
// thread, however many there are. Control thread only.

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/protocol/client.pb.h"
#include "master/base/signal.h"
#include "master/clients/overview.h"
#include "scheduler/core/scheduler.h"
#include "scheduler/forecast/slots_wanted.h"

namespace ontime::master {

class JobPictures {
 public:
  using Picture = std::shared_ptr<const wire::Overview>;

  // The scheduler and the messages outlive it; jobs may change and vanish at any time but during a call.
  JobPictures(asio::any_io_executor executor, const scheduler::Scheduler& scheduler, const AttemptMessages& failures,
              std::function<TimePoint()> now)
      : executor_(std::move(executor)),
        scheduler_(scheduler),
        failures_(failures),
        now_(std::move(now)),
        looks_(executor_) {}

  // From start() to stop(), foresee() every kLooks.
  void start();
  void stop() { looks_.cancel(); }
  // Makes forecasts of running jobs that have had none for some time, as a page may be opened when a job has ended. And
  // what their deadlines need is looked at.
  void foresee();

  // Of a job that has ended by then, the final one. Null if there is no such job, or no more by then.
  // `recalled`: the job as it was, where the scheduler knows less of it.
  asio::awaitable<Picture> overview(JobId id, std::shared_ptr<const scheduler::Job> recalled = nullptr);
  // Of a running job; none of others.
  std::optional<wire::Forecast> forecast(JobId id);
  // The last one that was made, if any.
  std::optional<wire::Forecast> latest_forecast(JobId id) const;
  // Called with each new one.
  std::function<void(JobId id, const wire::Forecast& forecast)> on_forecast = [](JobId, const wire::Forecast&) {};
  // All that were made and are kept.
  void append_forecasts(wire::Reply::Job& reply, JobId id) const;
  void forget(JobId id);
  // That the deadlines of running jobs need.
  std::uint32_t slots_wanted() const { return slots_wanted_.count(); }

  static constexpr std::uint32_t kSlice = 2000;  // tasks; about half a millisecond
  static constexpr std::size_t kKept = 64;       // pictures, of 20 KB or so
  // How long a running job's picture, and its forecast, are kept for each task (that is not done).
  static constexpr Duration kPictureGoodForTask = std::chrono::microseconds(30);
  static constexpr Duration kForecastGoodForTask = std::chrono::microseconds(10);
  static constexpr Duration kLooks = std::chrono::seconds(1);
  static constexpr std::size_t kForecastsALook = 16;  // one of some hundred tasks takes less than a millisecond
  // The time between two that nobody asks for: at least the job's age by the first, and by the second longer than one
  // is kept for a client that asks.
  static constexpr int kForecastsInLife = 60;
  static constexpr int kUnaskedRarer = 8;

 private:
  struct Drawn {
    Picture picture;
    TimePoint made_at;
    bool is_final = false;
    std::shared_ptr<Signal> being_made;  // fires when it is known
  };
  struct Foreseen {
    wire::Forecast latest;
    TimePoint made_at;
    ForecastTrack track;
  };

  bool is_good(const Drawn& drawn, const scheduler::Job& job) const;
  asio::awaitable<void> make(JobId id, std::shared_ptr<Drawn> drawn, std::shared_ptr<const scheduler::Job> recalled);
  void drop_oldest();
  bool lacks_forecast(JobId id, const scheduler::Job& job) const;

  const asio::any_io_executor executor_;
  const scheduler::Scheduler& scheduler_;
  const AttemptMessages& failures_;
  const std::function<TimePoint()> now_;
  std::map<JobId, std::shared_ptr<Drawn>> drawn_;
  std::map<JobId, Foreseen> foreseen_;
  scheduler::SlotsWanted slots_wanted_;
  asio::steady_timer looks_;
  JobId next_look_;  // where foresee() goes on if there are more jobs than forecasts in a look
};

}  // namespace ontime::master
