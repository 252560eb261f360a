#include "master/inputs/index_store.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <asio/post.hpp>
#include <filesystem>
#include <future>
#include <random>
#include <utility>
#include <vector>

#include "common/base/limits.h"
#include "common/files/disk.h"
#include "common/records/formats.h"

namespace ontime::master {

using scheduler::InputFile;

namespace {

constexpr int kWindowsTried = 8;  // of a launch; that one cannot be read is rare

bool holds(const std::vector<AccessPoint>& points, const AccessPoint& wanted) {
  const auto is_before = [](const AccessPoint& point, std::uint64_t at) { return point.content < at; };
  const auto found = std::lower_bound(points.begin(), points.end(), wanted.content, is_before);
  return found != points.end() && *found == wanted;
}

}  // namespace

bool is_indexed(const scheduler::JobSpec& spec, const InputFile& file) {
  return file.codec != Codec::Plain || (file.points.empty() && records::mark_of(spec.records) != 0);
}

IndexStore::IndexStore(std::string directory, Limits limits, std::string shared)
    : directory_(std::move(directory)), shared_(std::move(shared)), limits_(limits) {
  if (!directory_.empty()) list();
}

IndexStore::~IndexStore() {
  thread_.join();
  if (has_shared_) IndexStore(shared_, limits_);  // makes room there
}

// In the order in which they were used last.
void IndexStore::list() {
  std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory_, error)) {
    std::error_code ignored;
    found.emplace_back(entry.last_write_time(ignored), entry.path());
  }
  std::sort(found.begin(), found.end());
  for (const auto& [time, path] : found) {
    const std::uint64_t bytes = std::filesystem::file_size(path, error);
    if (error) continue;
    kept_[path.filename().string()] = {bytes, ++uses_};
    bytes_ += bytes;
  }
  make_room({});
}

// Takes over what another master has shared of the file. That master's job is none of ours.
void IndexStore::borrow(const std::string& name, const InputFile& file) {
  if (kept_.contains(name)) return;
  const auto index = read_index(shared_path_of(name), file);
  if (!index || !index->is_whole()) return;
  const auto bytes = copy_index(shared_path_of(name), path_of(name), encode_head({}, file));
  if (!bytes) return;
  static_cast<void>(::utimensat(AT_FDCWD, shared_path_of(name).c_str(), nullptr, 0));
  kept_[name] = {*bytes, ++uses_};
  bytes_ += *bytes;
  make_room(name);
}

// Under another name first, which no other master chooses, be it on another machine.
void IndexStore::share(const std::string& name) {
  to_share_.erase(name);
  if (!kept_.contains(name)) return;
  has_shared_ = true;
  std::random_device random;
  const std::string unfinished = shared_path_of("." + name + "." + std::to_string(random()) + std::to_string(random()));
  if (!copy_index(path_of(name), unfinished)) return;
  if (files::rename(unfinished, shared_path_of(name)) != 0) files::remove(unfinished);
}

FileIndex* IndexStore::load(const std::string& name, const InputFile& file) {
  const auto kept = kept_.find(name);
  if (kept == kept_.end()) return nullptr;
  kept->second.used = ++uses_;
  const auto found = loaded_.find(name);
  if (found != loaded_.end()) return &found->second;
  auto index = read_index(path_of(name), file);
  if (!index) {
    remove(name);
    return nullptr;
  }
  forget_some(name);
  return &loaded_.emplace(name, std::move(*index)).first->second;
}

void IndexStore::forget_some(const std::string& but) {
  while (loaded_.size() >= limits_.loaded) {
    auto oldest = loaded_.end();
    for (auto at = loaded_.begin(); at != loaded_.end(); ++at) {
      if (at->first == but) continue;
      if (oldest == loaded_.end() || kept_[at->first].used < kept_[oldest->first].used) oldest = at;
    }
    if (oldest == loaded_.end()) return;
    loaded_.erase(oldest);
  }
}

// What one job has found whole stays. What is not whole, or has no marks, gives way to what a later job finds.
FileIndex* IndexStore::writable(const std::string& name, JobId job, const InputFile& file, bool with_marks) {
  FileIndex* known = load(name, file);
  const bool is_worth_more = known == nullptr || !known->is_whole() || (with_marks && !known->has_marks());
  if (known == nullptr || (known->job < job && is_worth_more)) {
    remove(name);
    forget_some(name);
    kept_[name] = {0, ++uses_};
    FileIndex& made = loaded_[name];
    made.job = job;
    append(name, made, encode_head(job, file));
    known = load(name, file);
  }
  return known != nullptr && known->job == job ? known : nullptr;
}

void IndexStore::add(JobId job, File file, StartPoint start) {
  const AccessPoint& point = start.point;
  if (directory_.empty() || !file->points.empty() || waiting_ > limits_.waiting) return;
  if (start.window.size() > kPackedWindowBytesMax || point.stored >= file->size || point.content == 0) return;
  if (point.content > kOffsetMax) return;
  const std::uint64_t bytes = sizeof start + start.window.size();
  waiting_ += bytes;
  asio::post(thread_, [this, job, bytes, file = std::move(file), start = std::move(start)] {
    insert(job, *file, start);
    waiting_ -= bytes;
  });
}

void IndexStore::insert(JobId job, const InputFile& file, const StartPoint& start) {
  const AccessPoint& point = start.point;
  const std::string name = index_name(file);
  FileIndex* const to = writable(name, job, file, records::marked_at(point).has_value());
  if (to == nullptr || to->bytes > limits_.of_file || to->points.size() >= kPointsMax) return;
  const auto behind = to->points.lower_bound(point.content);
  if (behind != to->points.end() && behind->first - point.content < limits_.apart) return;
  const std::uint64_t before = behind == to->points.begin() ? 0 : std::prev(behind)->first;
  if (point.content - before < limits_.apart) return;
  FileIndex::Entry entry{point, {}};
  const std::string bytes = encode_entry(start, to->bytes, entry.window);
  to->points.emplace(point.content, entry);
  append(name, *to, bytes);
}

void IndexStore::add_end(JobId job, File file, std::uint64_t content_bytes) {
  if (directory_.empty() || !file->points.empty() || content_bytes == 0) return;
  if (content_bytes > kOffsetMax) return;  // the next job would be refused for it
  asio::post(thread_, [this, job, file = std::move(file), content_bytes] { insert_end(job, *file, content_bytes); });
}

void IndexStore::insert_end(JobId job, const InputFile& file, std::uint64_t content_bytes) {
  const std::string name = index_name(file);
  FileIndex* const to = writable(name, job, file, false);
  if (to == nullptr || to->content_bytes == content_bytes) return;
  to->content_bytes = content_bytes;
  append(name, *to, encode_end(content_bytes));
}

bool IndexStore::find_start(JobId job, File file, std::uint64_t begin, Then then) {
  if (directory_.empty() || begin == 0) return false;
  asio::post(thread_, [this, job, file = std::move(file), begin, then = std::move(then)] {
    then(start_before(job, *file, begin));
  });
  return true;
}

std::optional<StartPoint> IndexStore::start_before(JobId job, const InputFile& file, std::uint64_t begin) {
  const std::string name = index_name(file);
  const FileIndex* const known = load(name, file);
  const bool is_given = !file.points.empty();  // with the job
  if (known == nullptr || (!is_given && known->job != job)) return std::nullopt;
  int tried = 0;
  for (auto at = known->points.lower_bound(begin); at != known->points.begin() && tried < kWindowsTried;) {
    const FileIndex::Entry& entry = (--at)->second;
    if (is_given && !holds(file.points, entry.point)) continue;
    if (records::marked_at(entry.point).value_or(0) >= begin) continue;
    if (!entry.point.needs_window()) return StartPoint{entry.point};
    ++tried;
    if (auto window = read_window(path_of(name), entry.window)) return StartPoint{entry.point, std::move(*window)};
  }
  return std::nullopt;
}

InputIndex IndexStore::find(const InputFile& file) {
  const bool is_too_small = file.codec == Codec::Plain && file.size <= limits_.apart;  // to have a place
  if (directory_.empty() || is_too_small) return {};
  std::packaged_task<InputIndex()> finding([&] { return whole(file); });
  std::future<InputIndex> found = finding.get_future();
  asio::post(thread_, std::move(finding));
  return found.get();
}

InputIndex IndexStore::whole(const InputFile& file) {
  const std::string name = index_name(file);
  if (!shared_.empty()) borrow(name, file);
  const FileIndex* const known = load(name, file);
  if (known == nullptr || !known->is_whole()) return {};
  static_cast<void>(::utimensat(AT_FDCWD, path_of(name).c_str(), nullptr, 0));
  InputIndex found;
  found.content_bytes = known->content_bytes;
  for (const auto& [content, entry] : known->points) {
    if (content < found.content_bytes) found.points.push_back(entry.point);
  }
  return found;
}

void IndexStore::drop(File file) {
  if (directory_.empty()) return;
  asio::post(thread_, [this, file = std::move(file)] {
    const std::string name = index_name(*file);
    remove(name);
    if (!shared_.empty()) files::remove(shared_path_of(name));
  });
}

void IndexStore::append(const std::string& name, FileIndex& to, const std::string& bytes) {
  if (!write_index(path_of(name), to.bytes, bytes)) return remove(name);
  to.bytes += bytes.size();
  kept_[name].bytes = to.bytes;
  bytes_ += bytes.size();
  if (!shared_.empty() && to.is_whole() && to_share_.insert(name).second) {
    asio::post(thread_, [this, name] { share(name); });  // with what is found until then
  }
  make_room(name);
}

void IndexStore::remove(const std::string& name) {
  const auto kept = kept_.find(name);
  if (kept != kept_.end()) bytes_ -= kept->second.bytes;
  if (kept != kept_.end()) kept_.erase(kept);
  loaded_.erase(name);
  files::remove(path_of(name));
}

void IndexStore::make_room(const std::string& for_name) {
  while (bytes_ > limits_.of_all || kept_.size() > limits_.files) {
    auto oldest = kept_.end();
    for (auto at = kept_.begin(); at != kept_.end(); ++at) {
      if (at->first != for_name && (oldest == kept_.end() || at->second.used < oldest->second.used)) oldest = at;
    }
    if (oldest == kept_.end()) return;
    remove(std::string(oldest->first));
  }
}

}  // namespace ontime::master
