#pragma once
// The mapping of one split, and all of a job's.

#include <cstdint>
#include <memory>
#include <vector>

#include "scheduler/core/attempt.h"
#include "scheduler/core/job_spec.h"
#include "scheduler/core/ledger.h"

namespace ontime::scheduler {

struct Task {
  explicit Task(const Split& split) : file(split.file), ledger(split.range) {}

  std::uint32_t file;  // index into JobSpec::inputs
  Ledger ledger;
  std::vector<Attempt> attempts;  // index = AttemptId::number
};

// Index = TaskId::index. There may be millions, so the commit of a job shares them instead of copying them. Cluster
// changes them only while the job runs and nobody else holds them.
class TaskList {
 public:
  explicit TaskList(const std::vector<Split>& splits)
      : tasks_(std::make_shared<std::vector<Task>>(splits.begin(), splits.end())) {}

  std::size_t size() const { return tasks_->size(); }
  std::uint32_t count() const { return static_cast<std::uint32_t>(size()); }
  bool empty() const { return tasks_->empty(); }
  auto begin() const { return tasks_->cbegin(); }
  auto end() const { return tasks_->cend(); }
  auto rbegin() const { return tasks_->crbegin(); }
  auto rend() const { return tasks_->crend(); }
  const Task& front() const { return tasks_->front(); }
  const Task& operator[](std::size_t index) const { return (*tasks_)[index]; }
  const Task& at(std::size_t index) const { return tasks_->at(index); }
  Task& at(std::size_t index) { return tasks_->at(index); }
  // Reads like the vector it is.
  operator const std::vector<Task>&() const { return *tasks_; }

  std::shared_ptr<const std::vector<Task>> share() const { return tasks_; }

 private:
  std::shared_ptr<std::vector<Task>> tasks_;
};

}  // namespace ontime::scheduler
