#pragma once
// The connection of one Hadoop application master after the handshake: checks and translates what it says into events,
// so that the scheduler sees a job like any other. Whatever no sane peer sends closes the connection and is counted.
// Control thread only; ends when the connection does.
//
// An application master says everything again after a reconnect, and a new daemon may know more or less of it than the
// old one. So each message says what is, and what the scheduler believes otherwise is put right: an attempt that was
// not mentioned is lost, and a task that is done is sealed whatever was open of it.

#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/result.h"
#include "common/net/connection.h"
#include "common/protocol/advise.pb.h"
#include "master/actions/application_link.h"
#include "master/advice/advisor.h"
#include "master/base/measures.h"

namespace ontime::master {

class ApplicationSession {
 public:
  // `owner`: the name of its token; may be empty.
  ApplicationSession(std::shared_ptr<net::Connection> connection, Advisor& advisor, std::string owner,
                     SessionCounters& counters);

  asio::awaitable<void> run();

 private:
  // Task and Hadoop's number of an attempt.
  using Key = std::pair<std::uint32_t, std::uint32_t>;

  // Closes the connection unless the job is named soon.
  void limit_wait();
  Status on_frame(std::string_view payload);
  Status on_job(const wire::ToAdvisor::Job& job);
  Status on_events(const wire::ToAdvisor::Events& events);
  void on_event(const wire::AttemptEvent& event);
  void on_started(Key key, const wire::AttemptEvent::Started& started);
  void on_progress(AttemptId attempt, const wire::AttemptEvent::Progress& progress);
  void on_sealed(AttemptId attempt, const wire::AttemptEvent::Sealed& sealed);
  void on_ended(std::uint32_t task, std::optional<AttemptId> attempt, const wire::AttemptEvent::Ended& ended);
  void on_synchronised();
  void on_job_ended(const wire::ToAdvisor::JobEnded& ended);

  std::optional<AttemptId> launch(std::uint32_t task, std::uint64_t begin, Duration age);
  void complete(std::uint32_t task, std::optional<AttemptId> winner, std::uint64_t records);
  void seal(AttemptId attempt, ByteRange segment, std::uint64_t records);
  void lose(AttemptId attempt);
  void end_what_lacks_its_begin(std::uint32_t task);
  void write_log(AttemptId attempt, Key key, const std::string& host);

  bool is_running() const;
  bool is_unfinished() const;
  const scheduler::Job& job() const;
  const scheduler::Attempt* find_live(AttemptId attempt) const;
  std::optional<AttemptId> ordered(std::uint32_t task, std::uint32_t order) const;

  const std::shared_ptr<net::Connection> connection_;
  const std::shared_ptr<ApplicationLink> link_;
  Advisor& advisor_;
  ControlLoop& control_;
  const std::string owner_;
  SessionCounters& counters_;
  asio::steady_timer job_limit_;
  JobId job_;                         // 0 until it is admitted
  std::string hadoop_id_;             // of the job
  std::map<Key, AttemptId> attempts_;  // as the scheduler knows them
  bool is_synchronised_ = false;
  bool is_over_ = false;  // nothing more is to be read
};

}  // namespace ontime::master
