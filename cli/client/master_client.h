#pragma once
// A synchronous connection to the master: one question, one answer. Owns a private event loop that runs only while a
// call is under way. One thread at a time.

#include <functional>
#include <memory>
#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "common/net/masters.h"
#include "common/net/tls_identity.h"
#include "common/protocol/client.pb.h"

namespace ontime::cli {

class MasterClient {
 public:
  struct Options {
    net::Masters masters;                          // of which one leads
    std::string token;                             // empty: none
    net::TlsPointer tls;                           // null: the connection is not encrypted
    Duration patience = std::chrono::seconds(10);  // for the connection, and for each answer beyond its own wait
    // Called every few milliseconds while a call waits; its error ends the wait and becomes the call's error.
    std::function<Status()> watch;
  };
  explicit MasterClient(Options options);
  ~MasterClient();
  MasterClient(const MasterClient&) = delete;
  MasterClient& operator=(const MasterClient&) = delete;

  // Connects and introduces itself unless that is done. Unavailable, with how to start a master, if none is there.
  Status connect();
  // Connects if necessary. Unavailable when the connection broke: the request may or may not have been carried out.
  // The master's own refusals are BadInput or Failed with its sentence.
  Result<wire::Reply> ask(const wire::Request& request, Duration answer_within = Duration(0));

  Result<wire::Reply::Submitted> submit(const wire::JobSpec& spec);
  struct Listing {
    bool accounts = false;     // by policy; looks at every attempt
    std::uint32_t latest = 0;  // only so many of the newest; 0: all
  };
  // However many answers it takes. Jobs that ended in between may be missing.
  Result<wire::Reply::Jobs> list_jobs(Listing listing);
  Result<wire::Reply::Jobs> list_jobs() { return list_jobs({}); }
  struct Details {
    bool tasks = false;
    bool forecast = false;  // not more than once a second
    bool account = false;
    bool account_at_end = false;  // only if the job has ended
    bool overview = false;        // and what was expected over time
  };
  // With a wait: answers when the job has ended or so much time has passed.
  Result<wire::Reply::Job> describe(JobId job, Details details, Duration wait = Duration(0));
  struct TaskQuery {
    std::uint32_t first = 0;
    std::uint32_t max = 0;  // at least 1
    std::string state{};    // as TaskDetail.state; empty: all
  };
  // Some of its tasks; next_task if there may be more.
  Result<wire::Reply::Job> list_tasks(JobId job, const TaskQuery& query);
  // All that was asked for, however many answers it takes.
  Result<wire::Reply::Explained> explain(wire::Request::Explain request);
  Result<wire::Reply::Nodes> list_nodes();
  // What attempts have written since `next` of an earlier answer; of 0, all that is kept.
  Result<wire::Reply::Logs> read_logs(wire::Request::ReadLogs request);
  // What is known of durations of the job's application with its parameters.
  Result<wire::Reply::Profile> profile(const wire::JobSpec& spec);
  Result<wire::JobState> kill(JobId job);
  // Takes the node out (or back, with `undo`). The node as it is then.
  Result<wire::NodeSummary> drain(const std::string& node, bool undo);

 private:
  class Link;  // the connection and its event loop: all that needs Asio, which is slow to compile
  const std::unique_ptr<Link> link_;
};

}  // namespace ontime::cli
