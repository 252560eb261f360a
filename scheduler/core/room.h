#pragma once
// How much of a master's memory jobs take, all together and those of each owner. Pure.

#include <cstdint>
#include <map>
#include <string>

#include "scheduler/core/job_spec.h"

namespace ontime::scheduler {

struct Room {
  std::uint64_t jobs = 0;
  std::uint64_t tasks = 0;
  std::uint64_t bytes = 0;  // of parameters and files

  Room& operator+=(const Room& other);
  Room& operator-=(const Room& other);
  friend Room operator+(Room one, const Room& other) { return one += other; }
  friend bool operator==(const Room&, const Room&) = default;
};
Room room_for(const JobSpec& spec, std::uint64_t tasks);

// Running totals: asking for one looks at no job.
class RoomTaken {
 public:
  void take(const std::string& owner, const Room& room);
  void give_back(const std::string& owner, const Room& room);

  const Room& by_all() const { return by_all_; }
  Room by(const std::string& owner) const;

  friend bool operator==(const RoomTaken&, const RoomTaken&) = default;

 private:
  Room by_all_;
  std::map<std::string, Room> by_owner_;  // only of owners that have a job
};

}  // namespace ontime::scheduler
