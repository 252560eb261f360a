#pragma once
// The workers as the real ones are (worker/agent): they register, keep reports until they are acknowledged, obey the
// master that they are connected to, and can die, stop, or be cut off at any moment.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "lab/faults/world.h"
#include "lab/simulator/motion.h"
#include "lab/scenario/random.h"

namespace ontime::lab::faults {

class Workers {
 public:
  explicit Workers(World& world);

  void on(const Upcoming& due);
  void on_message(ConnectionId connection, MessageToWorker message);
  // Nothing is read there before.
  TimePoint stopped_until(std::uint32_t node) const { return nodes_[node].stopped_until; }

  void die(std::uint32_t node);
  // SIGTERM: it drains and ends, after `patience` at the latest.
  void leave(std::uint32_t node, Duration patience);
  // SIGKILL, if it has not ended by then.
  void end_leaving(std::uint32_t node);
  // As the master knows it.
  std::string incarnation(std::uint32_t node) const;
  void come_back(std::uint32_t node);
  void stop(std::uint32_t node, bool attempts_too, TimePoint until);
  void go_on(std::uint32_t node);
  void break_connection(std::uint32_t node);
  void set_disk_full(std::uint32_t node, bool is_full) { nodes_[node].is_disk_full = is_full; }
  void kill_an_attempt(std::uint32_t node, double luck, bool is_fatal);
  void stop_an_attempt(std::uint32_t node, double luck);
  // Every attempt fails there as soon as it is launched; nothing: no more.
  void set_failing(std::uint32_t node, std::optional<scheduler::FailureKind> kind) { nodes_[node].fails = kind; }
  void hang_mount(std::uint32_t node, TimePoint until);

 private:
  enum class Phase : std::uint8_t { Launching, StandingBy, Mapping };
  struct Attempt {
    AttemptId id;
    std::uint32_t node = 0;
    std::uint32_t life = 0;    // generation of the slot
    std::uint32_t border = 0;  // generation of its next Border
    Phase phase = Phase::Launching;
    bool standby = false;
    bool is_stopped = false;  // it never says or does anything again
    ByteRange launched;
    std::optional<ByteRange> begin;  // told to a standby before it was ready
    const Submission* job = nullptr;
    std::uint32_t directory = 0;
    FileId file = 0;
    std::uint64_t next_record = 0;  // that it will map
    double speed = 0;               // also while its node stops
    Motion motion;
    std::optional<std::uint64_t> open_end;           // stands for an end that is not known
    std::deque<scheduler::action::CutAttempt> cuts;  // not looked at yet
    Random random{0, Purpose::Duration};
  };
  struct Node {
    bool is_alive = true;
    bool is_disk_full = false;
    std::optional<scheduler::FailureKind> fails;
    TimePoint hangs_until;
    bool do_attempts_stop = false;
    TimePoint stopped_until;
    std::uint32_t incarnation = 0;
    std::uint32_t pulse = 0;  // generation of its heartbeats and of trying to connect
    std::optional<ConnectionId> connection;
    bool is_welcome = false;
    double pause = 0;  // before it connects again
    std::deque<Report> kept;
    std::uint64_t last_report = 0;
    std::uint64_t sent_report = 0;
    std::vector<std::uint32_t> attempts;
    bool leaves = false;
    bool leaves_at_once = false;
  };

  // Connections.
  void connect(std::uint32_t node);
  void connect_later(std::uint32_t node);
  void lose_connection(std::uint32_t node);
  void close(std::uint32_t node);
  void beat(std::uint32_t node);
  void report(std::uint32_t node, scheduler::Event what);
  void send_reports(std::uint32_t node);
  void welcome(std::uint32_t node, const Welcome& welcome);
  void obey(std::uint32_t node, const Orders& orders);
  bool obey(std::uint32_t node, const Order& order);
  void end_patience(std::uint32_t node);
  void end_process(std::uint32_t node);
  void forget_all(Node& node);
  bool has_to_wait(const Node& node) const { return !node.attempts.empty() || !node.kept.empty(); }
  bool is_stopped(const Node& node) const { return node.stopped_until > world_.now; }
  std::vector<scheduler::AttemptProgress> progress(const Node& node) const;

  // Attempts.
  void on_attempt(const Upcoming& due);
  bool launch(std::uint32_t node, const scheduler::action::LaunchAttempt& order, std::uint32_t directory);
  bool begin(Attempt& attempt, ByteRange range);
  void expect_cut(const Attempt& attempt);
  void cut(Attempt& attempt);
  void on_launched(Attempt& attempt);
  void start_mapping(Attempt& attempt);
  void change_speed(Attempt& attempt);
  void expect_border(Attempt& attempt);
  void on_border(Attempt& attempt);
  void write(Attempt& attempt, std::uint64_t end);
  void exit(Attempt& attempt, const char* why, scheduler::FailureKind kind = scheduler::FailureKind::Attempt);
  Attempt* chosen(std::uint32_t node, double luck);
  // What it is to map. Where the end is not known, it is where the stream ends, or just behind the begin if that is
  // later; the master receives an end that it knows.
  void hold(Attempt& attempt, ByteRange range);
  std::uint64_t told_end(const Attempt& attempt, std::uint64_t end) const;
  void kill(Attempt& attempt);
  void end(Attempt& attempt);
  Attempt* find(std::uint32_t node, AttemptId id);
  std::uint32_t slot_of(const Attempt& attempt) const;

  World& world_;
  std::vector<Node> nodes_;
  std::deque<Attempt> attempts_;     // their places never move
  std::vector<std::uint32_t> free_;  // slots of attempts_
  Random random_;
};

}  // namespace ontime::lab::faults
