#include <algorithm>
#include <utility>

#include "lab/faults/world.h"

namespace ontime::lab::faults {

ConnectionId Network::connect(std::uint32_t node, std::uint32_t master_life) {
  Connection connection;
  connection.node = node;
  connection.master_life = master_life;
  connections_.push_back(connection);
  return static_cast<ConnectionId>(connections_.size() - 1);
}

Duration Network::delay() {
  // Mostly short, sometimes long.
  const double luck = random_.uniform();
  return from_seconds((longest_delay_ + longer_by_) * luck * luck);
}

void Network::deliver(ConnectionId id, Direction direction, TimePoint at) {
  Connection& connection = connections_[id];
  TimePoint& last = direction == Direction::ToMaster ? connection.last_to_master : connection.last_to_worker;
  last = std::max(last, at);
  agenda_.put(last, Due::Delivery, id, static_cast<std::uint32_t>(direction));
}

void Network::send(ConnectionId id, MessageToMaster what, TimePoint now, Duration extra) {
  connections_[id].to_master.push_back(std::move(what));
  deliver(id, Direction::ToMaster, now + delay() + extra);
}

void Network::send(ConnectionId id, MessageToWorker what, TimePoint now, Duration extra) {
  connections_[id].to_worker.push_back(std::move(what));
  deliver(id, Direction::ToWorker, now + delay() + extra);
}

MessageToMaster Network::take_to_master(ConnectionId id) {
  MessageToMaster what = std::move(connections_[id].to_master.front());
  connections_[id].to_master.pop_front();
  return what;
}

MessageToWorker Network::take_to_worker(ConnectionId id) {
  MessageToWorker what = std::move(connections_[id].to_worker.front());
  connections_[id].to_worker.pop_front();
  return what;
}

void Network::put_off(ConnectionId id, Direction direction, TimePoint until) { deliver(id, direction, until); }

}  // namespace ontime::lab::faults
