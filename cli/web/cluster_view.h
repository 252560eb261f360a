#pragma once
// What web pages and metrics show of a cluster. The master is asked for its jobs at most twice a second, and as often
// for one job, however many visitors there are; for what it has to look at every task of a job, the more seldom the
// more tasks there are; for a page of tasks and for logs each time. While it is away it is contacted at most twice a
// second. Threads: any; calls wait for one another.

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/client/exported_job.h"
#include "cli/client/master_client.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/protocol/client.pb.h"

namespace ontime::cli {

class ClusterView {
 public:
  struct Picture {
    wire::Reply::Nodes nodes;
    wire::Reply::Jobs jobs;  // with accounts; summaries of the first kWatchedMax running ones have forecasts
    std::vector<wire::Reply::Job> watched{};  // those, with accounts and without tasks
  };

  explicit ClusterView(MasterClient::Options options) : master_(std::move(options)) {}

  // At most kFresh old. The error is the master's, or says that there is none.
  Result<std::shared_ptr<const Picture>> picture();
  // The JSON of a job with forecast, account and what was expected over time; with tasks and the explanation of those
  // with most to tell, or if there are too many with an overview. BadInput: there is no such job.
  Result<std::shared_ptr<const std::string>> job(JobId id);

  // Overviews of the jobs that run and of the latest that have ended, kUseMax in all: when they had how many slots.
  Result<std::vector<wire::Reply::Job>> use();

  // Some of its tasks, or what its attempts have written. Asked of the master each time.
  Result<wire::Reply::Job> tasks(JobId id, const MasterClient::TaskQuery& query);
  Result<wire::Reply::Logs> logs(const wire::Request::ReadLogs& request);
  // The job as a file. Asked of the master each time. BadInput: a trace of more attempts than a page draws.
  Result<std::string> exported(JobId id, ExportCommand::As as);

  static constexpr auto kFresh = std::chrono::milliseconds(500);
  // How long is kept what costs time for each task (or attempt, if there are more).
  static constexpr auto kGoodForTask = std::chrono::microseconds(20);
  static constexpr std::size_t kWatchedMax = 32;
  static constexpr std::size_t kUseMax = 12;
  static constexpr std::size_t kCostlyMax = 200;           // jobs
  static constexpr std::uint32_t kAskedForAlone = 50'000;  // tasks
  static constexpr std::uint32_t kTasksExplained = 500;

 private:
  using Instant = std::chrono::steady_clock::time_point;
  template <class T>
  struct Dated {
    Instant taken;
    std::shared_ptr<const T> what;
  };
  // What the master knows of one job only by looking at its tasks.
  struct Costly {
    Instant taken;
    wire::Reply::Job job;  // with forecast, account and overview
    std::optional<wire::Reply::Explained> explained{};
  };
  // The error. If the master is away, others who ask soon get the same one.
  Error remembered(const Error& error);
  template <class Ask>
  auto ask_unless_away(Ask ask) -> decltype(ask());
  Result<Picture> take_picture();
  // At most as old as its cost demands, with `summary` instead of the one of then.
  Result<const Costly*> costly(JobId id, const wire::JobSummary& summary, bool explained);
  static bool is_good(const Costly& costly, const wire::JobSummary& summary);
  Result<wire::Reply::Job> ask_for_costly(JobId id, const wire::JobSummary& summary);
  Result<std::string> ask_for(JobId id);
  Result<std::shared_ptr<const Picture>> picture_now();

  std::mutex mutex_;
  MasterClient master_;
  Dated<Picture> picture_{};
  Dated<Error> away_{};
  std::map<JobId, Dated<std::string>> jobs_;  // those that were asked for within kFresh
  std::map<JobId, Costly> costly_;
};

// The cluster in Prometheus' text format. Names and labels are an interface and stay; docs/monitoring.md lists them.
// Pure. Null: no master answers, so there is ontime_up 0 and nothing else.
std::string metrics_text(const ClusterView::Picture* picture);

}  // namespace ontime::cli
