#include "master/worker_link.h"

#include <algorithm>

namespace ontime::master {
namespace {

void put(AttemptId from, wire::Attempt* to) {
  to->set_job(from.task.job.value);
  to->set_task(from.task.index);
  to->set_number(from.number);
}

}  // namespace

void WorkerLink::welcome(const wire::ToWorker::Welcome& welcome) {
  wire::ToWorker message;
  *message.mutable_welcome() = welcome;
  static_cast<void>(connection_->send(message));
  is_welcome_ = true;
}

void WorkerLink::set_up(JobId job, const scheduler::JobSpec& spec) {
  if (!set_up_.insert(job).second) return;
  wire::JobSetup* setup = add_order()->mutable_setup();
  setup->set_job(job.value);
  setup->set_application(spec.application);
  for (const auto& [key, value] : spec.parameters) {
    wire::Entry* entry = setup->add_parameters();
    entry->set_key(key);
    entry->set_value(value);
  }
  setup->set_output(spec.output);
  setup->set_record_bytes_max(spec.record_bytes_max);
}

void WorkerLink::launch(AttemptId attempt, ByteRange range, JobId job, const scheduler::JobSpec& spec,
                        std::uint32_t file) {
  set_up(job, spec);
  wire::Order::Launch* launch = add_order()->mutable_launch();
  put(attempt, launch->mutable_attempt());
  const scheduler::InputFile& input = spec.inputs.at(file);
  launch->mutable_file()->set_path(input.path);
  launch->mutable_file()->set_size(input.size);
  launch->mutable_file()->set_mtime_ns(input.mtime_ns);
  launch->mutable_file()->set_codec(static_cast<wire::Codec>(input.codec));
  launch->mutable_range()->set_begin(range.begin);
  launch->mutable_range()->set_end(range.end);
}

void WorkerLink::cut(AttemptId attempt, std::uint64_t at, bool release) {
  wire::Order::Cut* cut = add_order()->mutable_cut();
  put(attempt, cut->mutable_attempt());
  cut->set_at(at);
  cut->set_release(release);
}

void WorkerLink::kill(AttemptId attempt, const std::string& reason) {
  wire::Order::Kill* kill = add_order()->mutable_kill();
  put(attempt, kill->mutable_attempt());
  kill->set_reason(reason);
}

void WorkerLink::forget(JobId job) {
  set_up_.erase(job);  // the worker may know it from an earlier session
  add_order()->mutable_forget()->set_job(job.value);
}

void WorkerLink::acknowledge(std::uint64_t sequence) { acknowledged_ = std::max(acknowledged_, sequence); }

void WorkerLink::flush() {
  if (!is_welcome_) return;  // the welcome comes first; what is gathered before it follows it
  if (gathered_.orders().orders_size() == 0 && acknowledged_ == acknowledged_sent_) return;
  gathered_.mutable_orders()->set_acknowledged(acknowledged_);
  acknowledged_sent_ = acknowledged_;
  static_cast<void>(connection_->send(gathered_));
  gathered_.Clear();
}

}  // namespace ontime::master
