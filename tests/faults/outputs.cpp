#include "tests/faults/outputs.h"

#include <zlib.h>

#include <algorithm>

#include "common/base/check.h"
#include "tests/machines/process.h"

namespace ontime::lab::faults {
namespace {

// The files of a submission's input, in order, and what of its content each holds.
struct File {
  std::string name;
  std::size_t begin = 0;
  std::size_t size = 0;
};

std::vector<File> files_of(const Submission& submission, std::uint32_t index, std::size_t content_bytes) {
  std::vector<File> files;
  const std::size_t records = content_bytes / submission.record_bytes;
  for (std::size_t i = 0; i < submission.files; ++i) {
    const std::size_t begin = records * i / submission.files * submission.record_bytes;
    const std::size_t end = records * (i + 1) / submission.files * submission.record_bytes;
    const std::string number = submission.files > 1 ? "-" + std::to_string(i) : "";
    files.push_back(
        {"/in/" + std::to_string(index) + number + (submission.is_compressed ? ".gz" : ".txt"), begin, end - begin});
  }
  return files;
}

// Lines of one length that begin with their number; each version of an input has other ones.
std::string line(std::uint64_t number, std::size_t bytes, std::size_t version) {
  std::string text = std::to_string(number) + " ";
  text.resize(bytes - 1, static_cast<char>('.' + version));
  return text + "\n";
}

std::string compressed(const std::string& text) {
  constexpr int kGzip = 16 + MAX_WBITS;
  z_stream stream{};
  ONTIME_CHECK(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) == Z_OK,
               "zlib works");
  std::string bytes(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  ONTIME_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END, "it fits");
  bytes.resize(bytes.size() - stream.avail_out);
  deflateEnd(&stream);
  return bytes;
}

std::string stored(const Submission& submission, const std::string& content) {
  return submission.is_compressed ? compressed(content) : content;
}

void set(wire::JobSpec& spec, const std::string& key, const std::string& value) {
  wire::Entry* const entry = spec.add_parameters();
  entry->set_key(key);
  entry->set_value(value);
}

std::string below_mount(const std::string& path) { return path.substr(machines::Cluster::kSharedMount.size()); }

const std::string& address_of_bucket() {
  static const auto& address = *new std::string("s3://" + std::string(machines::ObjectStore::kBucket));
  return address;
}
// The prefix of the objects below an address.
std::string key_of(const std::string& address) { return address.substr(address_of_bucket().size() + 1) + "/"; }

}  // namespace

Outputs::Outputs(machines::Disk& disk, machines::ObjectStore* store, const FaultPlan& plan)
    : disk_(disk), store_(store), plan_(plan), inputs_(plan.submissions.size()) {
  for (std::uint32_t index = 0; index < plan.submissions.size(); ++index) {
    const Submission& submission = plan.submissions[index];
    hold(index, next_content(index));
    const std::string& content = inputs_[index].content;
    for (const File& file : files_of(submission, index, content.size()))
      put(submission, file.name, stored(submission, content.substr(file.begin, file.size)));
  }
  disk.put("/out/", "");
}

std::string Outputs::next_content(std::uint32_t index) const {
  const Submission& submission = plan_.submissions[index];
  const std::uint64_t end = submission.split_bytes * (submission.is_compressed ? 1 : submission.tasks);
  std::string content;
  for (std::uint64_t number = 0; content.size() + submission.record_bytes <= end; ++number) {
    content += line(number, submission.record_bytes, inputs_[index].version);
  }
  return content;
}

void Outputs::hold(std::uint32_t index, std::string content) {
  const Submission& submission = plan_.submissions[index];
  std::string& answer = inputs_[index].answers.emplace_back();
  for (std::uint64_t number = 0; number * submission.record_bytes < content.size(); number += submission.output_every) {
    answer += content.substr(number * submission.record_bytes, submission.record_bytes);
  }
  inputs_[index].content = std::move(content);
}

// An object is replaced as a whole, at the end.
void Outputs::begin_change(std::uint32_t index) {
  const Submission& submission = plan_.submissions[index];
  if (submission.has_input_in_store) return;
  ++inputs_[index].version;
  const std::string next = next_content(index);
  const std::size_t half = next.size() / 2;
  for (const File& file : files_of(submission, index, next.size())) {
    if (file.begin >= half) break;
    const std::string bytes = stored(submission, next.substr(file.begin, file.size));
    const auto inode = disk_.find(file.name);
    const std::size_t size = submission.is_compressed ? bytes.size() / 2 : std::min(file.size, half - file.begin);
    disk_.write(*inode, bytes.data(), size, 0, 0);
    disk_.sync(*inode);
  }
  // What is compressed cannot be read in between.
  if (!submission.is_compressed) hold(index, next.substr(0, half) + inputs_[index].content.substr(half));
}

void Outputs::end_change(std::uint32_t index, bool in_place) {
  const Submission& submission = plan_.submissions[index];
  if (!in_place || submission.has_input_in_store) ++inputs_[index].version;
  hold(index, next_content(index));
  const std::string& content = inputs_[index].content;
  for (const File& file : files_of(submission, index, content.size())) {
    std::string bytes = stored(submission, content.substr(file.begin, file.size));
    if (submission.has_input_in_store)
      put(submission, file.name, std::move(bytes));
    else
      replace(file.name, bytes, in_place);
  }
}

void Outputs::lose(std::uint32_t index) {
  for (const auto& [output, submission] : owners_) {
    if (submission != index) continue;
    if (plan_.submissions[index].has_output_in_store) {
      for (const auto& [name, entry] : look_at(output)) {
        if (name.starts_with("_attempts/")) store_->take_away(key_of(output) + name);
      }
    } else if (const auto attempts = disk_.find(below_mount(output) + "/_attempts")) {
      for (const auto& [claim, directory] : attempts->entries) {
        const auto files = directory->entries;
        for (const auto& [name, file] : files) disk_.remove(directory, name, false);
      }
    }
  }
}

void Outputs::put(const Submission& submission, const std::string& name, std::string bytes) {
  if (submission.has_input_in_store)
    store_->put(name.substr(1), std::move(bytes));
  else
    disk_.put(name, std::move(bytes));
}

void Outputs::replace(const std::string& name, const std::string& bytes, bool in_place) {
  machines::InodePointer file = disk_.find(name);
  const machines::InodePointer directory = file->parent.lock();
  if (!in_place) {
    int error = disk_.remove(directory, file->name, false);
    file = disk_.make(directory, name.substr(name.rfind('/') + 1), S_IFREG | 0644, error);
  }
  disk_.resize(*file, 0, 0);
  disk_.write(*file, bytes.data(), bytes.size(), 0, 0);
  disk_.sync(*file);
  disk_.sync(*directory);
}

wire::JobSpec Outputs::request(std::uint32_t index) {
  const Submission& submission = plan_.submissions[index];
  const std::string mount(machines::Cluster::kSharedMount);
  wire::JobSpec spec;
  spec.set_application("copy");
  set(spec, "every", std::to_string(submission.output_every));
  set(spec, "pause_us", std::to_string(static_cast<std::int64_t>(submission.record_time * 1e6)));
  set(spec, "start_us", std::to_string(static_cast<std::int64_t>(submission.start * 1e6)));
  const auto place = [&](bool is_in_store) { return is_in_store ? address_of_bucket() : mount; };
  for (const File& file : files_of(submission, index, inputs_[index].content.size()))
    spec.add_inputs(place(submission.has_input_in_store) + file.name);
  spec.set_output(place(submission.has_output_in_store) + "/out/" + std::to_string(owners_.size()));
  owners_.emplace(spec.output(), index);
  spec.set_split_bytes(submission.split_bytes);
  spec.mutable_settings()->set_deadline(from_seconds(submission.deadline).count());
  if (submission.checkpoint >= 0)
    spec.mutable_settings()->set_checkpoint_interval(from_seconds(submission.checkpoint).count());
  spec.mutable_settings()->set_attempt_timeout(from_seconds(submission.attempt_timeout).count());
  spec.mutable_settings()->set_attempts_max(kAttemptsMax);
  spec.mutable_settings()->set_record_bytes_max(1u << 20);
  spec.mutable_settings()->set_policy(submission.policy);
  for (const auto& [key, value] : submission.policy_parameters) {
    wire::Entry* const entry = spec.mutable_settings()->add_policy_parameters();
    entry->set_key(key);
    entry->set_value(value);
  }
  spec.mutable_settings()->set_kill_on_miss(submission.kill_on_miss);
  return spec;
}

std::vector<std::string> Outputs::requested() const {
  std::vector<std::string> outputs;
  for (const auto& [output, submission] : owners_) outputs.push_back(output);
  return outputs;
}

Outputs::Entries Outputs::look_at(const std::string& output) const {
  Entries entries;
  if (plan_.submissions[owners_.at(output)].has_output_in_store) {
    const std::string prefix = key_of(output);
    for (auto at = store_->objects().lower_bound(prefix);
         at != store_->objects().end() && at->first.starts_with(prefix); ++at) {
      const std::string name = at->first.substr(prefix.size());
      const bool is_segment = name.starts_with("_attempts/");
      const bool may_stay = at->second.is_late || at->second.bytes == kRivalsClaim ||
                            (is_segment && plan_.may_leave_segments()) || late_segments_.contains(at->first);
      entries.emplace(name, Entry{at->second.bytes, may_stay});
    }
  } else if (const auto directory = disk_.find(below_mount(output))) {
    for (const auto& [name, inode] : directory->entries) entries.emplace(name, Entry{inode->bytes, false});
  }
  return entries;
}

Outputs::Location Outputs::place_of(const std::string& key) const {
  const std::size_t slash = key.find('/', key.find('/') + 1);
  if (!key.starts_with("out/") || slash == key.npos) return {};
  return {address_of_bucket() + "/" + key.substr(0, slash), key.substr(slash + 1)};
}

void Outputs::on_created(const std::string& key) {
  const auto [output, name] = place_of(key);
  if (!name.starts_with("_attempts/")) return;
  const Entries entries = look_at(output);
  if (entries.contains("_SUCCESS") || !entries.contains("_claim")) late_segments_.insert(key);
}

bool Outputs::holds_something(const std::string& output) const {
  const Entries entries = look_at(output);
  return std::any_of(entries.begin(), entries.end(), [](const auto& entry) { return !entry.second.may_stay; });
}

bool Outputs::has_success(const std::string& output) const { return look_at(output).contains("_SUCCESS"); }

bool Outputs::has_leftovers(const std::string& output) const {
  const Entries entries = look_at(output);
  return std::any_of(entries.begin(), entries.end(), [](const auto& entry) {
    const auto& [name, what] = entry;
    return name != "_SUCCESS" && name != "_manifest.json" && !name.starts_with("part-m-") && !what.may_stay;
  });
}

bool Outputs::holds_work_of(const std::string& output, AttemptId attempt) const {
  if (plan_.submissions[owners_.at(output)].has_output_in_store) return false;  // it lies on the worker's own disk
  const auto directory = disk_.find(below_mount(output));
  if (!directory || !directory->entries.contains("_attempts")) return false;
  const std::string name = attempt_file_name(attempt);
  const auto& claims = directory->entries.at("_attempts")->entries;
  return std::any_of(claims.begin(), claims.end(), [&](const auto& claim) {
    const auto file = claim.second->entries.find(name);
    return file != claim.second->entries.end() && !file->second->bytes.empty();
  });
}

void Outputs::list(const std::function<void(std::string_view)>& line) const {
  const std::function<void(const machines::Inode&, const std::string&)> visit = [&](const machines::Inode& inode,
                                                                                    const std::string& path) {
    line(path + (inode.is_directory() ? "/" : " " + std::to_string(inode.bytes.size())));
    for (const auto& [name, entry] : inode.entries) visit(*entry, path + "/" + name);
  };
  visit(*disk_.find("/out"), "/out");
  if (store_ == nullptr) return;
  for (const auto& [key, object] : store_->objects()) line(key + " " + std::to_string(object.bytes.size()));
}

std::string Outputs::check(const std::string& output) const {
  const Entries entries = look_at(output);
  if (entries.empty()) return "its output is not there";
  if (!entries.contains("_SUCCESS") || !entries.contains("_manifest.json")) return "its output is not complete";
  std::string found;
  for (const auto& [name, entry] : entries) {
    if (name.starts_with("part-m-")) found += entry.bytes;
  }
  const auto& answers = inputs_[owners_.at(output)].answers;
  if (std::find(answers.begin(), answers.end(), found) != answers.end()) return "";
  return "its output is not every record once and in order: " + std::to_string(found.size()) + " bytes instead of " +
         std::to_string(answers.front().size());
}

}  // namespace ontime::lab::faults
