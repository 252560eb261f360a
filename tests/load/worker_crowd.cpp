#include "tests/load/worker_crowd.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

namespace ontime::load {

WorkerCrowd::WorkerCrowd(net::Endpoint master, std::uint32_t workers, std::uint32_t slots, Failures& failures)
    : failures_(failures), crowd_{failures} {
  for (std::uint32_t i = 0; i < workers; ++i) {
    worker::MasterLink::Options options;
    options.masters = master;
    options.name = "simulated-" + std::to_string(i);
    options.host = "simulated";
    options.incarnation = "load-" + std::to_string(::getpid()) + "-" + std::to_string(i);
    options.slots = slots;
    options.connect_timeout = std::chrono::minutes(5);
    options.reply_timeout = std::chrono::minutes(1);
    workers_.push_back(std::make_unique<SimulatedWorker>(thread_.io().get_executor(), std::move(options), crowd_));
  }
}

WorkerCrowd::~WorkerCrowd() { thread_.stop(); }

void WorkerCrowd::start() {
  thread_.run([this] {
    for (const auto& worker : workers_) worker->start();
  });
}

void WorkerCrowd::set_attempt_time(Duration time) {
  thread_.run([this, time] {
    crowd_.attempt_time = time;
    for (const auto& worker : workers_) worker->hurry();
  });
}

void WorkerCrowd::expect_new_master() {
  thread_.run([this] {
    ++crowd_.generation;
    crowd_.welcomed = 0;
  });
}

CrowdCounts WorkerCrowd::counts() {
  return thread_.run([this] {
    return CrowdCounts{crowd_.welcomed, crowd_.launches, crowd_.reports, crowd_.fenced, crowd_.tasks_done};
  });
}

bool WorkerCrowd::is_quiet() {
  return thread_.run([this] {
    return std::all_of(workers_.begin(), workers_.end(), [](const auto& worker) { return worker->is_quiet(); });
  });
}

std::uint64_t WorkerCrowd::tasks_done(std::uint32_t job) {
  return thread_.run([this, job] {
    const std::vector<bool>& done = crowd_.done[job];
    return static_cast<std::uint64_t>(std::count(done.begin(), done.end(), true));
  });
}

}  // namespace ontime::load
