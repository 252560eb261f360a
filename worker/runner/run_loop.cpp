#include "worker/runner/run_loop.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/app/loaded_application.h"

namespace ontime::worker {
namespace {

AttemptFailure refused(const std::string& why) { return {wire::BAD_APPLICATION, why}; }

// No record may be mapped twice, so none waits behind another in what is claimed: it can be given to another attempt.
bool are_claimed_singly(const wire::JobSpec& job) {
  return std::ranges::any_of(job.settings().policy_parameters(), [](const wire::Entry& parameter) {
    const std::string& value = parameter.value();
    return parameter.key() == "race" && (value == "no" || value == "off" || value == "false" || value == "0");
  });
}

}  // namespace

int RunLoop::serve() {
  for (;;) {
    auto message = channel_.receive();
    if (!message) {
      std::fprintf(stderr, "ontime-runner: %s\n", message.error().message.c_str());
      return 1;
    }
    if (!message->has_value()) return 0;
    const wire::ToRunner& order = **message;
    if (order.has_setup()) {
      ready_ = set_up(order.setup());  // a failure is reported with the first attempt
    } else if (order.has_run() && !run(order.run())) {
      return 1;
    }
  }
}

AttemptStatus RunLoop::set_up(const wire::ToRunner::Setup& setup) {
  mapper_.reset();
  AttemptStatus status = load(setup);
  if (status) return status;
  AttemptFailure failure = std::move(status).error();
  failure.message += used_up(bounds_.limits, failure.message);
  return failure;
}

AttemptStatus RunLoop::load(const wire::ToRunner::Setup& setup) {
  places_ = {files::Roots::of_resolved({setup.input_roots().begin(), setup.input_roots().end()}),
             files::Roots::of_resolved({setup.output_roots().begin(), setup.output_roots().end()}),
             bounds_.output_socket, setup.syncs_at_commit()};
  const wire::JobSpec& job = setup.job().spec();
  if (job.application().find('/') != std::string::npos) {
    return refused("a job names its application, and \"" + job.application() + "\" is a path");
  }
  if (!setup.directory().empty()) {
    if (::chdir(setup.directory().c_str()) != 0)
      return AttemptFailure{wire::LAUNCH, "cannot work in '" + setup.directory() + "': " + std::strerror(errno)};
    ::setenv("ONTIME_RUNNER_DIRECTORY", setup.directory().c_str(), 1);  // for `exec`
  }
  auto loaded = app::LoadedApplication::load(
      job.application(), {setup.application_directories().begin(), setup.application_directories().end()},
      bounds_.keeper);
  if (!loaded) return refused(loaded.error().message);
  std::map<std::string, std::string, std::less<>> given;
  for (const wire::Entry& entry : job.parameters()) given[entry.key()] = entry.value();
  auto parameters = loaded->complete(given);
  if (!parameters) return refused(parameters.error().message);
  if (job.settings().record_bytes_max() > 0) rule_.record_bytes_max = job.settings().record_bytes_max();
  if (job.settings().window_bytes_max() > 0) rule_.window_bytes_max = job.settings().window_bytes_max();
  auto format = records::make_format(job.settings().records());
  if (!format) return refused(format.error().message);
  rule_.format = std::move(*format);
  claim_bytes_ = are_claimed_singly(job) ? 1 : RecordReader::kBlockBytes;
  const auto compression = read_compression(job.settings().compress());
  if (!compression) return refused(compression.error().message);
  compression_ = *compression;
  context_ = std::make_unique<RunContext>(std::move(*parameters));
  return make_mapper(*loaded);
}

AttemptStatus RunLoop::make_mapper(const app::LoadedApplication& loaded) {
  const std::string who = "the application " + loaded.name();
  try {
    if (auto own = loaded.application().record_format(context_->parameters())) rule_.format = std::move(own);
    mapper_ = loaded.application().make_mapper();
    if (!mapper_) return refused(who + " makes no mapper");
    mapper_->setup(*context_);
    return {};
  } catch (const std::bad_alloc&) {
    return AttemptFailure{wire::THREW, who + " cannot start: it ran out of memory" + used_up_memory(bounds_.limits)};
  } catch (const std::invalid_argument& e) {
    return refused(who + " refuses its parameters: " + e.what());
  } catch (const std::exception& e) {
    return AttemptFailure{wire::THREW, who + " cannot start: " + e.what()};
  } catch (...) {
    return AttemptFailure{wire::THREW, who + " cannot start: it threw something that is no std::exception"};
  }
}

AttemptStatus RunLoop::map(const wire::ToRunner::Run& order) {
  if (!ready_) return ready_;
  try {
    AttemptStatus status = AttemptRun({*mapper_, *context_, channel_, progress_, rule_, block_bytes_, clock_, places_,
                                       claim_bytes_, compression_},
                                      order)
                               .run();
    if (status) return status;
    AttemptFailure failure = std::move(status).error();
    failure.message += used_up(bounds_.limits, failure.message);
    return failure;
  } catch (const std::bad_alloc&) {
    return AttemptFailure{wire::THREW, "the attempt ran out of memory" + used_up_memory(bounds_.limits)};
  }
}

bool RunLoop::run(const wire::ToRunner::Run& order) {
  const AttemptStatus status = map(order);
  wire::FromRunner message;
  *message.mutable_attempt() = order.launch().attempt();
  if (status) {
    message.mutable_finished();
  } else {
    message.mutable_failed()->set_failure(status.error().failure);
    message.mutable_failed()->set_message(status.error().message);
  }
  return channel_.send(message).has_value() && status.has_value();
}

}  // namespace ontime::worker
