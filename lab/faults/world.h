#pragma once
// What all parts of the faulty cluster share: the schedule, true time, what is to come, the disk, the network, and the
// audit that looks at everything.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "lab/faults/fault_plan.h"
#include "lab/faults/output_store.h"
#include "lab/scenario/random.h"
#include "scheduler/core/action.h"
#include "scheduler/core/event.h"

namespace ontime::lab::faults {

// What will happen, earliest first; what is due at the same time in the order in which it was put in.
enum class Due : std::uint8_t {
  Delivery,      // subject: message
  Connect,       // node
  Heartbeat,     // node
  GivesUp,       // connection: its worker has waited long enough for a welcome
  Launched,      // attempt slot. Its launch time is over
  Border,        // attempt slot. It reaches the end of its segment
  Cut,           // attempt slot. It looks at the cut that it was asked for
  SpeedChange,   // attempt slot
  AttemptDies,   // attempt slot
  BatchWritten,  // generation: the master's life
  CommitStep,    // job; generation: the master's life
  MasterStarts,
  LeaveOver,    // node; generation: its incarnation. It has waited long enough for its release
  FaultBegins,  // fault
  FaultEnds,    // fault
  Submission,   // submission
  Kill,         // submission
};

struct Upcoming {
  TimePoint at;
  std::uint64_t sequence;
  std::uint32_t subject;
  std::uint32_t generation;  // of the subject when this was put in; another one now: it does not happen
  Due due;
};

class Agenda {
 public:
  void put(TimePoint at, Due due, std::uint32_t subject = 0, std::uint32_t generation = 0) {
    heap_.push_back({at, sequence_++, subject, generation, due});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  Upcoming take() {  // REQUIRES: !empty()
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Upcoming first = heap_.back();
    heap_.pop_back();
    return first;
  }
  TimePoint next_at() const { return heap_.front().at; }  // REQUIRES: !empty()
  bool empty() const { return heap_.empty(); }

 private:
  static bool later(const Upcoming& a, const Upcoming& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }
  std::vector<Upcoming> heap_;
  std::uint64_t sequence_ = 0;
};

// Connections between workers and the master, and what is under way on them. Messages of one connection arrive in
// order, those of different connections in any. Either end may be gone already when something arrives.

using ConnectionId = std::uint32_t;

// What a worker keeps and sends again until it is acknowledged. The node in it is filled in by the master's session.
struct Report {
  std::uint64_t sequence = 0;
  scheduler::Event what;
};

struct Registration {
  scheduler::event::NodeRegistered who;
  std::vector<Report> unacknowledged;
  std::vector<scheduler::AttemptProgress> running;
  bool leaves = false;
};
struct Beat {
  std::vector<scheduler::AttemptProgress> attempts;
};
struct Reports {
  std::vector<Report> reports;
};
struct Leave {
  bool at_once = false;
};
struct Closed {};  // the other end is gone

struct Welcome {
  std::vector<AttemptId> fenced;
};
struct Order {
  scheduler::Action what;
  std::uint32_t directory = 0;  // of a launch's job, which tells the rest of it too
};
struct Orders {
  std::vector<Order> orders;
  std::uint64_t acknowledged = 0;
};

using MessageToMaster = std::variant<Registration, Beat, Reports, Leave, Closed>;
using MessageToWorker = std::variant<Welcome, Orders, Closed>;

struct Connection {
  std::uint32_t node = 0;         // index of the worker
  std::uint32_t master_life = 0;  // of the master that it leads to
  bool is_open_at_worker = true;
  bool is_open_at_master = true;
  std::deque<MessageToMaster> to_master;  // under way, in order
  std::deque<MessageToWorker> to_worker;
  TimePoint last_to_master;  // when the last of them arrives
  TimePoint last_to_worker;
};

enum class Direction : std::uint8_t { ToMaster, ToWorker };

class Network {
 public:
  Network(Agenda& agenda, double longest_delay, std::uint64_t seed)
      : agenda_(agenda), longest_delay_(longest_delay), random_(seed, Purpose::Faults, 1) {}

  ConnectionId connect(std::uint32_t node, std::uint32_t master_life);
  Connection& operator[](ConnectionId id) { return connections_[id]; }
  std::size_t size() const { return connections_.size(); }

  // `extra`: how much later than usual it arrives.
  void send(ConnectionId connection, MessageToMaster what, TimePoint now, Duration extra = {});
  void send(ConnectionId connection, MessageToWorker what, TimePoint now, Duration extra = {});
  // What arrives by a Delivery (subject: the connection, generation: the direction): the oldest under way, unless the
  // Delivery is put off.
  MessageToMaster take_to_master(ConnectionId connection);
  MessageToWorker take_to_worker(ConnectionId connection);
  void put_off(ConnectionId connection, Direction direction, TimePoint until);

  void slow_down(double by) { longer_by_ += by; }  // seconds, at most; negative: no longer
  Duration delay();

 private:
  void deliver(ConnectionId connection, Direction direction, TimePoint at);

  Agenda& agenda_;
  const double longest_delay_;
  double longer_by_ = 0;
  Random random_;
  std::vector<Connection> connections_;
};

class Audit;

using Trace = std::function<void(std::string_view)>;  // one line of a readable trace

struct World {
  World(const FaultPlan& the_plan, const Trace& a_trace, Audit& an_audit)
      : plan(the_plan), trace(a_trace), audit(an_audit), network(agenda, plan.network_delay, plan.seed) {}

  const FaultPlan& plan;
  const Trace& trace;  // may be empty
  Audit& audit;
  TimePoint now;  // true time
  Agenda agenda;
  OutputStore store;
  Network network;
  bool commits_fail = false;

  // The master as workers find it.
  bool master_listens = false;
  std::uint32_t master_life = 0;   // counts
  TimePoint master_stopped_until;  // by SIGSTOP

  // Until when nothing gets through, per node.
  struct Reach {
    TimePoint to_master;
    TimePoint to_worker;
  };
  std::vector<Reach> cut_off = std::vector<Reach>(plan.slots.size());
  // Of each output directory: whose it is.
  std::vector<std::uint32_t> submission_of;
  // Of each submission: until when the mount of its output answers nothing to the master.
  std::vector<TimePoint> output_hangs = std::vector<TimePoint>(plan.submissions.size());

  // `line` is only called when somebody looks.
  template <class Line>
  void tell(const Line& line) const {
    if (trace) trace(stamp() + line());
  }
  std::string stamp() const;  // "12.500000 "
};

// Where the input of its job ends, uncompressed.
std::uint64_t input_end(const Submission& submission);

// Settings of a job as its submission has them.
scheduler::JobSpec spec_of(const Submission& submission, std::uint32_t directory);

}  // namespace ontime::lab::faults
