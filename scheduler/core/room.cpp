#include "scheduler/core/room.h"

namespace ontime::scheduler {

Room& Room::operator+=(const Room& other) {
  jobs += other.jobs;
  tasks += other.tasks;
  bytes += other.bytes;
  return *this;
}

Room& Room::operator-=(const Room& other) {
  jobs -= other.jobs;
  tasks -= other.tasks;
  bytes -= other.bytes;
  return *this;
}

Room room_for(const JobSpec& spec, std::uint64_t tasks) {
  Room room{1, tasks, 0};
  for (const ShippedFile& file : spec.files) room.bytes += file.content.size();
  for (const StringMap* parameters : {&spec.parameters, &spec.policy_parameters}) {
    for (const auto& [name, value] : *parameters) room.bytes += name.size() + value.size();
  }
  return room;
}

void RoomTaken::take(const std::string& owner, const Room& room) {
  by_all_ += room;
  by_owner_[owner] += room;
}

void RoomTaken::give_back(const std::string& owner, const Room& room) {
  by_all_ -= room;
  Room& own = by_owner_[owner];
  own -= room;
  if (own.jobs == 0) by_owner_.erase(owner);
}

Room RoomTaken::by(const std::string& owner) const {
  const auto found = by_owner_.find(owner);
  return found == by_owner_.end() ? Room() : found->second;
}

}  // namespace ontime::scheduler
