#pragma once
// The simulated workers: what orders do to them, what they report and when. Speaks with the master only in messages.
// One owner; times never run backwards.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "common/base/distribution.h"
#include "common/base/ids.h"
#include "common/injection/injection.h"
#include "lab/scenario/purpose.h"
#include "lab/scenario/scenario.h"
#include "lab/simulator/event_queue.h"
#include "lab/simulator/motion.h"
#include "lab/simulator/wire.h"
#include "scheduler/core/idle_runners.h"

namespace ontime::lab {

// What the attempts of a job have cost, and what the workers must know of it.
struct JobLoad {
  std::uint32_t planned = 0;  // index into the planned jobs: names its random streams
  const JobGroup* group = nullptr;
  std::uint32_t tasks = 0;
  double machine_time = 0;  // slot-seconds
  double mapped_bytes = 0;
};

// When the node's worker does, before its time limit.
TimePoint leaves_at(const Outage& limit);

class Workers {
 public:
  // REQUIRES: scenario and queue outlive it. Every node is about to register.
  Workers(const Scenario& scenario, std::uint64_t seed, EventQueue& queue);

  void add_job(JobLoad load) { jobs_.push_back(load); }  // in order of JobId
  const JobLoad& job(JobId id) const { return jobs_[id.value - 1]; }

  // From the queue: everything about attempts and nodes.
  void on(const Upcoming& due);
  // Sends an order; lost if its node cannot be reached.
  void order(NodeId node, scheduler::Action what, TimePoint now);
  // The master has closed the connection.
  void drop(NodeId node, TimePoint now);
  // A report that has arrived at the master; nothing if its connection was lost meanwhile.
  std::optional<scheduler::Event> arrived(std::uint32_t slot, TimePoint now);

  // Registration of a node arrives at the master: first this event, then its id, then the rest.
  std::optional<scheduler::Event> registration(const Upcoming& due);
  std::vector<scheduler::Event> after_registration(std::uint32_t node, NodeId id, TimePoint now);

  void leave(std::uint32_t node, TimePoint now);
  // Calls for nodes or tells some to leave, so that there are this many slots soon. REQUIRES: Scenario::elastic.
  void resize(std::uint32_t slots, TimePoint now);
  void begin_outage(const Outage& outage, TimePoint now);
  void end_outage(const Outage& outage, TimePoint now);

  // Counts what still runs as if it ended now.
  void settle(TimePoint now);
  double paid_slot_seconds(TimePoint now) const;   // of nodes from the call for them to their end
  double there_slot_seconds(TimePoint now) const;  // the same, but for their start
  std::uint32_t busy() const { return static_cast<std::uint32_t>(attempts_.size() - free_.size()); }  // attempts there

 private:
  enum class Phase : std::uint8_t { Launching, StandingBy, Mapping, Sealing };
  struct Attempt {
    AttemptId id;
    std::uint32_t node = 0;
    std::uint32_t life = 0;    // generation of the slot
    std::uint32_t border = 0;  // generation of its next Border and Answer
    std::uint32_t skew = 0;    // generation of its next Skew
    std::uint32_t seals = 0;   // counts
    std::uint32_t begun = 0;   // segments
    double even_speed = 0;     // bytes per second, if all bytes of the split took alike long
    Phase phase = Phase::Launching;
    bool standby = false;
    bool is_warm = false;            // its process has run an attempt of the job before
    std::optional<ByteRange> begin;  // told to a standby before it was ready
    TimePoint arrived_at;
    ByteRange split;  // of its task
    Motion motion;
    std::vector<scheduler::action::CutAttempt> cuts;  // that wait until it has sealed
    std::vector<scheduler::Event> answers;            // to cuts, sent between two records
    std::uint64_t answers_at = 0;                     // where
    TimePoint answers_by;                             // or by its worker, which does not wait for the runner
    Random random{0, Purpose::Duration};
    injection::Disturbance disturbance;     // on purpose
    std::optional<std::uint64_t> pause_at;  // still to come
    bool is_stalled = false;                // answers nothing any more
  };
  struct Kept {  // a report until it is acknowledged
    std::uint64_t number = 0;
    TimePoint acknowledged_at;
    scheduler::Event what;
  };
  struct Node {
    NodeId id;  // as the master last called it
    std::string name;
    std::uint32_t slots = 0;
    std::uint32_t incarnation = 0;
    std::uint32_t connection = 0;  // counts
    std::uint32_t pulse = 0;       // generation of its heartbeats
    bool is_alive = true;          // its process runs, or will after the call for it
    bool is_leaving = false;       // as it was told by resize()
    TimePoint called_at;           // while it is alive
    TimePoint starts_until;        // the same; it is there from then on
    bool is_reachable = true;      // no partition
    bool is_connected = false;
    bool beats_slowly = false;
    TimePoint launched_at;  // the latest attempt
    bool is_disk_full = false;
    bool does_disk_fail = false;
    const Disk* disk = nullptr;
    TimePoint disk_free_at;
    double slowness = 1;
    const NodeGroup* group = nullptr;
    double score = 0;  // standard normal: its share of its attempts' luck
    std::vector<std::uint32_t> attempts;
    scheduler::IdleRunners idle_runners;
    std::deque<Kept> kept;
    std::uint64_t reports = 0;  // counts
  };

  void add_nodes(std::uint64_t seed);
  void call(std::uint32_t node, TimePoint now);
  void end_node(Node& node, TimePoint now);
  static double paid_of(const Node& node, TimePoint now);
  static double there_of(const Node& node, TimePoint now);
  void obey(const Order& order, TimePoint now);
  void launch(std::uint32_t node, const scheduler::action::LaunchAttempt& order, TimePoint now);
  void begin(Attempt& attempt, ByteRange range, TimePoint now);
  void cut(Attempt& attempt, const scheduler::action::CutAttempt& order, TimePoint now);
  void answer(Attempt& attempt, TimePoint now);
  void on_launched(Attempt& attempt, TimePoint now);
  void on_border(Attempt& attempt, TimePoint now);
  void seal(Attempt& attempt, TimePoint now);
  TimePoint written_at(Attempt& attempt, TimePoint now);
  void go_on_mapping(Attempt& attempt, TimePoint now);
  void exit(Attempt& attempt, const std::string& why, TimePoint now);
  void start_mapping(Attempt& attempt, TimePoint now);
  void begin_segment(Attempt& attempt, TimePoint now);
  Duration draw_start(const Attempt& attempt) const;
  double slowdown_of(const Attempt& attempt) const;
  bool is_plain(const JobGroup& group) const;
  Motion motion_on(const Attempt& attempt, ByteRange held) const;
  TimePoint answers_by(const Attempt& attempt, TimePoint now) const;
  void change_speed(Attempt& attempt, TimePoint now);
  void expect_slowness(std::uint32_t node, std::uint32_t change, TimePoint now);
  void change_slowness(std::uint32_t node, std::uint32_t change, TimePoint now);
  void set_speed(Attempt& attempt, TimePoint now);
  double draw_speed(Attempt& attempt);
  double draw_duration(Attempt& attempt);
  void expect_border(Attempt& attempt, TimePoint now);
  void disturb(Attempt& attempt, ByteRange held);
  static std::optional<std::uint64_t> next_mishap(const Attempt& attempt);  // where in the input
  void expect_mishap(Attempt& attempt, TimePoint now);
  void on_mishap(Attempt& attempt, TimePoint now);
  void go_on(Attempt& attempt, TimePoint now);
  void end_done(Attempt& attempt, TimePoint now);
  void end(std::uint32_t slot, TimePoint now);
  void end_all(Node& node, TimePoint now);
  Attempt* find(std::uint32_t node, AttemptId id);
  std::uint32_t slot_of(const Attempt& attempt) const;

  void beat(std::uint32_t node, TimePoint now);
  void expect_beat(std::uint32_t node, TimePoint now);
  std::vector<scheduler::AttemptProgress> progress(const Node& node, TimePoint now) const;
  void report(std::uint32_t node, scheduler::Event what, TimePoint now);
  // When what is sent on the node's connection now arrives, if it does.
  std::optional<TimePoint> arrival(std::uint32_t node, Direction direction, TimePoint now);
  void deliver(TimePoint at, Due due, std::uint32_t slot);
  void acknowledge(std::uint32_t node, std::uint64_t number, TimePoint now);
  void give_up(const Upcoming& due);
  Duration leaves_in(std::uint32_t node, TimePoint now) const;
  void set_disk(const Outage& outage, bool is_broken);
  void disconnect(Node& node, TimePoint now);
  void connect_soon(std::uint32_t node, TimePoint now);

  const Scenario& scenario_;
  const std::uint64_t seed_;
  EventQueue& queue_;
  Wire wire_;
  const Duration beat_every_;
  const Duration idle_beat_every_;
  const bool keeps_reports_;  // without outages none is ever sent again
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> index_of_;  // by NodeId
  std::vector<Attempt> attempts_;
  std::vector<std::uint32_t> free_;  // slots of attempts_
  std::vector<JobLoad> jobs_;
  double paid_ = 0;   // slot-seconds of nodes that have ended
  double there_ = 0;  // the same, but for their start
  Pool<Order> orders_;
  Pool<Report> reports_;
};

}  // namespace ontime::lab
