#pragma once
// The worker's connection to its master: connects and says hello, registers with what it has, then sends heartbeats and
// reports and takes orders. A connection that is lost is made again, without limit once the master has let the worker
// in; attempts run on meanwhile, however long the master is away. The master answers every heartbeat; a connection on
// which nothing comes any more (its end may have been swallowed on the way) is left and made again. One thread;
// outlives the run of its io_context.
//
//   connect -> hello -> Register -> Welcome -> orders, heartbeats, reports -> (lost) -> pause -> connect ...

#include <google/protobuf/repeated_field.h>

#include <algorithm>
#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "common/base/machine_use.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "common/net/connection.h"
#include "common/net/masters.h"
#include "common/protocol/control.pb.h"
#include "worker/agent/session/report_log.h"

namespace ontime::worker {

// What the link to the master asks of the rest of the worker. Called on the worker's one thread.
class OrderTaker {
 public:
  virtual ~OrderTaker() = default;

  // The master let us in and says which attempts are not ours any more and what is to disturb them. Orders follow. An
  // error as with obey().
  virtual Status begin_session(const wire::ToWorker::Welcome& welcome) = 0;

  // An error means that the master does not keep to the protocol: the connection is closed.
  virtual Status obey(const wire::Order& order) = 0;

  // Appends how far each attempt has got that has not ended.
  virtual void add_progress(google::protobuf::RepeatedPtrField<wire::AttemptProgress>& to) = 0;

  // About once a second: what attempts that run have written is to be sent too, and there is room for more.
  virtual void refill_logs() {}
  // What attempts have written and was not sent yet, if there is anything.
  virtual std::optional<wire::ToMaster::Logs> take_logs() { return std::nullopt; }
  // The same of what they have found out about their files.
  virtual std::optional<wire::ToMaster::Notes> take_notes() { return std::nullopt; }
};

// Receives the master's answers once the worker leaves.
class LeaveEvents {
 public:
  virtual ~LeaveEvents() = default;
  // Nothing of this worker is live any more, the master has all that it sealed.
  virtual void on_released() = 0;
  // The connection was lost; another one is made.
  virtual void on_session_over() = 0;
};

// How long to wait before the next try to connect: twice as long each time, up to a bound. Only a session that has
// lasted resets it, so a master that accepts a worker and loses it at once, again and again, is contacted no more often
// than one that is away. Pure.
class ReconnectPause {
 public:
  ReconnectPause(Duration min, Duration max, Duration lasting) : min_(min), max_(max), lasting_(lasting) {}

  // A session has ended that lasted this long after its welcome. One without a welcome does not reset the pause.
  void on_session_over(Duration stood) {
    if (stood >= lasting_) pause_ = Duration(0);
  }
  // The caller waits a random time below it.
  Duration next() { return pause_ = std::min(max_, std::max(min_, 2 * pause_)); }

 private:
  const Duration min_;
  const Duration max_;
  const Duration lasting_;
  Duration pause_{0};
};

// Decides from one session's heartbeats whether the next may leave, and whether the master is still there. Pure. It
// counts beats of the worker's own timer instead of time: a worker that was stopped for an hour (SIGSTOP) must not
// take that hour for the master's silence.
//
// The master answers every heartbeat with its number. At most kOnTheirWay are unanswered at a time. Otherwise, on a
// slow link, reports would wait in the kernel's buffers behind outdated heartbeats. Two keep the link busy while an
// answer is on its way back.
//
// On a slow link a job's set-up may delay the answers for longer than the node time-out. So each kBytesForAnother of a
// set-up that arrive send one more heartbeat, which is small beside them.
class Pulse {
 public:
  static constexpr std::uint64_t kOnTheirWay = 2;
  static constexpr std::uint64_t kBytesForAnother = 16u << 10;
  static constexpr std::int64_t kSilentBeatsMin = 3;

  Pulse() = default;
  // Beats come at `interval`; a master that has said nothing for `silence_max` is taken to be gone.
  Pulse(Duration interval, Duration silence_max)
      : silent_beats_max_(std::max(kSilentBeatsMin, (silence_max.count() + interval.count() - 1) / interval.count())) {}

  // Every beat begins with what has been heard so far, in bytes: a large message on a slow link is no silence. False:
  // the master has been silent for too long.
  bool beat(std::uint64_t bytes_heard) {
    if (bytes_heard != bytes_heard_) silent_beats_ = 0;
    bytes_heard_ = bytes_heard;
    return silent_beats_++ < silent_beats_max_;
  }
  bool may_send() const {
    return sent_ - taken_ < kOnTheirWay || bytes_heard_ - bytes_heard_when_sent_ >= kBytesForAnother;
  }
  void on_sent() {
    ++sent_;
    bytes_heard_when_sent_ = bytes_heard_;
  }
  // The master has taken so many heartbeats of this session.
  Status on_taken(std::uint64_t taken) {
    if (taken > sent_) return bad_input("the master has taken more heartbeats than were sent");
    taken_ = std::max(taken_, taken);
    return {};
  }

 private:
  std::int64_t silent_beats_max_ = kSilentBeatsMin;
  std::int64_t silent_beats_ = 0;
  std::uint64_t bytes_heard_ = 0;
  std::uint64_t bytes_heard_when_sent_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t taken_ = 0;
};

class MasterLink {
 public:
  struct Options {
    net::Masters masters;
    std::string token;
    net::TlsPointer tls;  // null: the connection is not encrypted
    std::string name;
    std::string host;
    std::string incarnation;  // random, of this process
    std::uint32_t slots = 1;
    std::function<std::optional<MachineUse>()> machine_use{};  // asked every few seconds, for the master; may be empty
    std::optional<std::chrono::steady_clock::time_point> leaves_at{};  // it leaves then, as the master hears
    Duration connect_timeout = std::chrono::seconds(30);               // until the first welcome
    std::string_view warning{};                                        // logged then, once, if there is one
    Duration pause_min = std::chrono::milliseconds(50);                // between two tries; doubles up to pause_max
    Duration pause_max = std::chrono::seconds(1);
    Duration lasting = std::chrono::seconds(10);       // a session of this length lets the pauses begin anew
    Duration reply_timeout = std::chrono::seconds(5);  // for connect, hello and welcome each
  };

  // `reports` and `orders` outlive it. It becomes the listener of `reports`.
  MasterLink(asio::any_io_executor executor, Options options, ReportLog& reports, OrderTaker& orders);
  ~MasterLink();

  // Returns only when the worker cannot go on: no master within the connect timeout, or the master refused it.
  asio::awaitable<Error> run();

  // The worker leaves: tells the master, now and with each connection. `events` outlives it.
  void leave(LeaveEvents& events, bool at_once);
  // A master has let this worker in and the connection stands.
  bool is_connected() const { return connection_ && is_welcome_; }

 private:
  void tell_of(const Error& error);
  asio::awaitable<Error> session();
  asio::awaitable<Error> converse();
  asio::awaitable<void> pause();
  asio::awaitable<void> heartbeat_loop(std::shared_ptr<net::Connection> connection, Duration interval);
  void send_heartbeat();
  void leave_silent_master();
  wire::Hello hello() const;
  wire::ToMaster registration();
  Status handle(const wire::ToWorker& message);
  Status on_welcome(const wire::ToWorker::Welcome& welcome);
  Status on_orders(const wire::ToWorker::Orders& orders);
  // Closes the connection unless a welcome comes in time.
  void watch_for_welcome();
  // What was appended to the log leaves together in the loop's next turn.
  void on_report();
  void send_reports();
  void send_logs();  // and notes
  void send_leave();
  Duration time_left() const;

  asio::any_io_executor executor_;
  const Options options_;
  ReportLog& reports_;
  OrderTaker& orders_;
  asio::steady_timer welcome_limit_;
  const std::chrono::steady_clock::time_point first_welcome_by_;

  // Of the session.
  std::shared_ptr<net::Connection> connection_;  // none between sessions
  bool is_welcome_ = false;
  bool will_send_reports_ = false;
  std::chrono::steady_clock::time_point welcome_at_;
  std::chrono::steady_clock::time_point logs_refilled_at_;
  std::chrono::steady_clock::time_point machine_told_at_;
  Pulse pulse_;
  std::optional<Error> left_because_;  // closed on this side

  // Across sessions.
  net::Masters masters_;  // of which one leads
  std::string cluster_;   // that we belong to; empty: none yet
  bool was_welcome_ = false;
  bool has_told_of_none_ = false;
  LeaveEvents* leave_events_ = nullptr;  // null: the worker stays
  bool leaves_at_once_ = false;
  ReconnectPause pause_;
  std::minstd_rand jitter_;
};

}  // namespace ontime::worker
