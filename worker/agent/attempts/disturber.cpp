#include "worker/agent/attempts/disturber.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <stop_token>
#include <utility>

#include "common/injection/injection.h"
#include "common/injection/settings.h"
#include "common/injection/wire.h"
#include "common/protocol/convert.h"

namespace ontime::worker {
namespace {

// Of an input of unknown length only the stored size is known.
ByteRange split_of(const wire::Order::Launch& launch) {
  ByteRange split = protocol::byte_range(launch.has_split() ? launch.split() : launch.range());
  if (split.is_open_ended()) split.end = launch.file().size();
  split.end = std::max(split.begin, split.end);
  return split;
}

void burn_until(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
  }
}

}  // namespace

Status Disturber::adopt(const wire::ToWorker::Welcome& welcome) {
  std::optional<injection::Injection> adopted;
  if (welcome.has_injection()) {
    auto injection = injection::from_wire(welcome.injection());
    if (!injection) return std::move(injection).error();
    adopted = std::move(*injection);
  }
  if (adopted == injection_) return {};
  injection_ = std::move(adopted);
  spdlog::info("injection_active {}", injection_ ? injection::describe(*injection_) : "none");
  burn(injection_ ? injection_->burners : 0);
  return {};
}

std::optional<wire::Disturbance> Disturber::draw(const wire::Order::Launch& launch, std::uint32_t job_tasks,
                                                 bool is_reused) const {
  if (!injection_) return std::nullopt;
  const AttemptId id = protocol::attempt_id(launch.attempt());
  auto drawn = injection::draw(*injection_, {id, job_tasks, split_of(launch), node_name_});
  if (is_reused && drawn.start_of == injection::StartOf::Process) drawn.start = Duration(0);
  if (drawn.is_none()) return std::nullopt;
  return injection::to_wire(drawn);
}

void Disturber::burn(std::size_t threads) {
  burners_.clear();  // asks each to stop, and waits for it
  while (burners_.size() < threads) {
    burners_.emplace_back([](const std::stop_token& stop) { burn_until(stop); });
  }
}

}  // namespace ontime::worker
