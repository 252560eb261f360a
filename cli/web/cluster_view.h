#pragma once
// What web pages and metrics show of a cluster. The master is asked for its jobs at most twice a second, and as often
// for one job's tasks, however many visitors there are. While it is away it is contacted no more often. Threads: any;
// calls wait for one another.

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

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
  struct JobPicture {
    wire::Reply::Job job;               // with forecast and account, and tasks unless there are more than kTasksDrawn
    wire::Reply::Explained explained{};  // the tasks with most to tell
  };
  // BadInput: there is no such job.
  Result<std::shared_ptr<const JobPicture>> job(JobId id);

  // What its attempts have written. Asked of the master each time.
  Result<wire::Reply::Logs> logs(JobId id);

  static constexpr auto kFresh = std::chrono::milliseconds(500);
  static constexpr std::size_t kWatchedMax = 32;
  static constexpr std::uint32_t kTasksExplained = 500;

 private:
  using Instant = std::chrono::steady_clock::time_point;
  template <class T>
  struct Dated {
    Instant taken;
    std::shared_ptr<const T> what;
  };
  // The error. If the master is away, others who ask soon get the same one.
  Error remembered(const Error& error);
  Result<Picture> take_picture();
  Result<JobPicture> ask_for(JobId id);

  std::mutex mutex_;
  MasterClient master_;
  Dated<Picture> picture_{};
  Dated<Error> away_{};
  std::map<JobId, Dated<JobPicture>> jobs_;  // those that were asked for within kFresh
};

// The cluster in Prometheus' text format. Names and labels are an interface and stay; docs/monitoring.md lists them.
// Pure. Null: no master answers, so there is ontime_up 0 and nothing else.
std::string metrics_text(const ClusterView::Picture* picture);

}  // namespace ontime::cli
