#pragma once
// What one cycle of the campaign does: where its master dies, where its workers do, and to what jobs. Drawn from a
// seed, or made for one point.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ontime::test {

// The N-th passing of a point, see common/base/kill_point.h.
struct Death {
  std::string point;
  std::uint32_t passing = 1;
};

// Of the disk, once, see disk_faults.h.
struct Fault {
  std::string op;     // create, write, sync, rename
  std::string error;  // enospc, eio
  std::uint32_t passing = 1;
};

enum class Side { Master, Worker };

struct Plan {
  std::optional<Death> master;
  std::optional<Death> worker;  // of a worker, its launcher or one of its runners
  std::optional<Fault> fault;
  Side fault_side = Side::Master;
  std::optional<std::uint64_t> power;  // the first death takes the whole machine with it; what the cut leaves
  std::string policy = "none";
  std::string splits = "3";
  bool kills_a_job = false;  // after the first job a second one runs and is killed by a client
  std::string outputs{};     // an address in a store below which outputs go; empty: the cluster's disk
  std::string outputs_at{};  // the directory in which that store keeps them
  std::function<int(const std::string& path)> count{};  // what is at a path there: -1 nothing, else how many files
  std::string repeat;                                   // flags of the campaign that do the same again
};

enum class Outputs { OnDisk, InStore, InHdfs };

Plan random_plan(std::uint64_t seed, Outputs outputs);
// With what else it takes to pass the point: a piece to stitch, a job to kill.
Plan plan_for(const std::string& point, std::uint32_t passing, Side side);
// Each point once for each side that passes it; those of outputs in a store only with these.
std::vector<std::pair<std::string, Side>> points_of(Outputs outputs);
Plan plan_for(const Fault& fault, Side side);

}  // namespace ontime::test
