#pragma once
// Connections between workers and the master, and what is under way on them. Messages of one connection arrive in
// order, those of different connections in any. Either end may be gone already when something arrives.

#include <cstdint>
#include <deque>
#include <variant>
#include <vector>

#include "common/base/ids.h"
#include "scheduler/core/action.h"
#include "scheduler/core/event.h"
#include "lab/faults/agenda.h"
#include "lab/scenario/random.h"

namespace ontime::lab::faults {

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

}  // namespace ontime::lab::faults
