#include "master/journal/stored_parts.h"

#include <algorithm>

namespace ontime::journal {

using scheduler::Counters;
using scheduler::JobSpec;
using scheduler::SealedOutput;
using scheduler::StringMap;

void put(const ByteRange& from, stored::Range* to) {
  to->set_begin(from.begin);
  to->set_end(from.end);
}

void put(const AttemptId& from, stored::Attempt* to) {
  to->set_job(from.task.job.value);
  to->set_task(from.task.index);
  to->set_number(from.number);
}

void put(const StringMap& from, google::protobuf::RepeatedPtrField<stored::Entry>* to) {
  for (const auto& [key, value] : from) {
    stored::Entry* entry = to->Add();
    entry->set_key(key);
    entry->set_value(value);
  }
}

void put(const JobSpec& from, stored::JobSpec* to) {
  to->set_application(from.application);
  put(from.parameters, to->mutable_parameters());
  for (const scheduler::InputFile& file : from.inputs) {
    stored::InputFile* input = to->add_inputs();
    input->set_path(file.path);
    input->set_size(file.size);
    input->set_version(file.version);
    input->set_codec(static_cast<std::uint32_t>(file.codec));
    input->set_content_bytes(file.content_bytes);
    AccessPoint before;
    for (const AccessPoint& point : file.points) {
      stored::AccessPoint* stored = input->add_points();
      stored->set_content(point.content - before.content);
      stored->set_stored(point.stored - before.stored);
      stored->set_state(point.state);
      if (point.needs_window()) stored->set_window_hash(point.window.data(), point.window.size());
      before = point;
    }
    for (const scheduler::InputPart& part : file.parts) {
      stored::InputPart* stored = input->add_parts();
      stored->set_path(part.path);
      stored->set_size(part.size);
      stored->set_version(part.version);
    }
  }
  to->set_output(from.output);
  to->set_claim(from.claim);
  to->set_split_bytes(from.split_bytes);
  to->set_deadline_ns(from.deadline.count());
  to->set_checkpoint_interval_ns(from.checkpoint_interval.count());
  to->set_attempt_timeout_ns(from.attempt_timeout.count());
  to->set_attempts_max(from.attempts_max);
  to->set_record_bytes_max(from.record_bytes_max);
  to->set_policy(from.policy);
  put(from.policy_parameters, to->mutable_policy_parameters());
  to->set_estimator(from.estimator);
  to->set_kill_on_miss(from.kill_on_miss);
  to->set_owner(from.owner);
  to->set_name(from.name);
  to->set_priority(from.priority);
  for (const scheduler::ShippedFile& file : from.files) {
    stored::ShippedFile* shipped = to->add_files();
    shipped->set_name(file.name);
    shipped->set_content(file.content);
    shipped->set_executable(file.executable);
  }
  for (const std::string& directory : from.application_directories) to->add_application_directories(directory);
}

void put(const SealedOutput& from, stored::SealedOutput* to) {
  to->set_file_offset(from.file_offset);
  to->set_length(from.length);
  to->set_records(from.records);
  to->set_crc32c(from.crc32c);
}

void put(const Counters& from, google::protobuf::RepeatedPtrField<stored::Counter>* to) {
  for (const auto& [key, value] : from) {
    stored::Counter* counter = to->Add();
    counter->set_group(key.first);
    counter->set_name(key.second);
    counter->set_value(value);
  }
}

JobId PartReader::job(std::uint32_t value) {
  require(value != 0, "its job number is 0");
  return JobId{value};
}

AttemptId PartReader::read(const stored::Attempt& from) { return {{job(from.job()), from.task()}, from.number()}; }

ByteRange PartReader::read(const stored::Range& from) {
  require(from.begin() <= from.end(), "its range ends before it begins");
  return {from.begin(), from.end()};
}

StringMap PartReader::read(const google::protobuf::RepeatedPtrField<stored::Entry>& from) {
  StringMap entries;
  for (const stored::Entry& entry : from) {
    require(entries.emplace(entry.key(), entry.value()).second, "it names a parameter twice");
  }
  return entries;
}

JobSpec PartReader::read(const stored::JobSpec& from) {
  JobSpec spec;
  spec.application = from.application();
  spec.parameters = read(from.parameters());
  spec.inputs.reserve(static_cast<std::size_t>(from.inputs_size()));
  for (const stored::InputFile& file : from.inputs()) {
    const auto codec = enumerator(file.codec(), scheduler::Codec::Bzip2, "it names an unknown compression");
    spec.inputs.push_back({file.path(), file.size(), file.version(), codec, file.content_bytes()});
    AccessPoint point;
    for (const stored::AccessPoint& stored : file.points()) {
      point.content += stored.content();
      point.stored += stored.stored();
      point.state = stored.state();
      const std::string& hash = stored.window_hash();
      require(hash.empty() || hash.size() == point.window.size(), "it has a window's hash of a wrong size");
      point.window = {};
      std::copy_n(hash.begin(), std::min(hash.size(), point.window.size()), point.window.begin());
      spec.inputs.back().points.push_back(point);
    }
    std::uint64_t bytes = 0;
    for (const stored::InputPart& part : file.parts()) {
      bytes += part.size();
      spec.inputs.back().parts.push_back({part.path(), part.size(), part.version()});
    }
    require(file.parts().empty() || bytes == file.size(), "its group of files is not as large as they are");
  }
  spec.output = from.output();
  spec.claim = from.claim();
  spec.split_bytes = from.split_bytes();
  require(spec.split_bytes != 0, "its split size is 0");
  spec.deadline = Duration(from.deadline_ns());
  spec.checkpoint_interval = Duration(from.checkpoint_interval_ns());
  spec.attempt_timeout = Duration(from.attempt_timeout_ns());
  spec.attempts_max = from.attempts_max();
  spec.record_bytes_max = from.record_bytes_max();
  spec.policy = from.policy();
  spec.policy_parameters = read(from.policy_parameters());
  spec.estimator = from.estimator();
  spec.kill_on_miss = from.kill_on_miss();
  spec.owner = from.owner();
  spec.name = from.name();
  spec.priority = from.priority();
  for (const stored::ShippedFile& file : from.files())
    spec.files.push_back({file.name(), file.content(), file.executable()});
  spec.application_directories = {from.application_directories().begin(), from.application_directories().end()};
  return spec;
}

SealedOutput PartReader::read(const stored::SealedOutput& from) {
  return {from.file_offset(), from.length(), from.records(), from.crc32c()};
}

Counters PartReader::read(const google::protobuf::RepeatedPtrField<stored::Counter>& from) {
  Counters counters;
  for (const stored::Counter& counter : from) {
    const bool fresh = counters.emplace(scheduler::CounterKey(counter.group(), counter.name()), counter.value()).second;
    require(fresh, "it names a counter twice");
  }
  return counters;
}

}  // namespace ontime::journal
