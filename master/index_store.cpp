#include "master/index_store.h"

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

// Takes over what another master has shared of the file. That master's job is none of ours. On the thread that writes:
// it comes behind what waits to be written or removed under that name, and nobody waits for the lock meanwhile.
void IndexStore::borrow(const std::string& name, const InputFile& file) {
  const auto is_kept = [&] {
    const std::lock_guard lock(mutex_);
    return kept_.contains(name);
  };
  if (is_kept()) return;
  const auto index = read_index(shared_path_of(name), file);
  if (!index || !index->is_whole()) return;
  const auto bytes = copy_index(shared_path_of(name), path_of(name), encode_head({}, file));
  if (!bytes) return;
  static_cast<void>(::utimensat(AT_FDCWD, shared_path_of(name).c_str(), nullptr, 0));
  const std::lock_guard lock(mutex_);
  if (kept_.contains(name)) return;  // an attempt has found something since, which will be written over it
  kept_[name] = {*bytes, ++uses_};
  bytes_ += *bytes;
  make_room(name);
}

// On the thread that writes. Under another name first, which no other master chooses, be it on another machine.
void IndexStore::share(const std::string& name) {
  std::random_device random;
  const std::string unfinished = shared_path_of("." + name + "." + std::to_string(random()) + std::to_string(random()));
  if (!copy_index(path_of(name), unfinished)) return;
  if (files::rename(unfinished, shared_path_of(name)) != 0) files::remove(unfinished);
}

IndexStore::Loaded* IndexStore::load(const std::string& name, const InputFile& file) {
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
  return &loaded_.emplace(name, Loaded{std::move(*index), ++numbers_}).first->second;
}

// Not those that are not written yet: what is read again must be all of it.
void IndexStore::forget_some(const std::string& but) {
  while (loaded_.size() >= limits_.loaded) {
    auto oldest = loaded_.end();
    for (auto at = loaded_.begin(); at != loaded_.end(); ++at) {
      if (at->first == but || at->second.writes > 0) continue;
      if (oldest == loaded_.end() || kept_[at->first].used < kept_[oldest->first].used) oldest = at;
    }
    if (oldest == loaded_.end()) return;
    loaded_.erase(oldest);
  }
}

// What one job has found whole stays. What is not whole gives way to what a later job finds.
IndexStore::Loaded* IndexStore::writable(const std::string& name, JobId job, const InputFile& file) {
  Loaded* known = load(name, file);
  if (known != nullptr && known->index.job == job) return known;
  if (known != nullptr && (known->index.is_whole() || job < known->index.job)) return nullptr;
  remove(name);
  forget_some(name);
  kept_[name] = {0, ++uses_};
  Loaded& made = loaded_[name];
  made.number = ++numbers_;
  made.index.job = job;
  append(name, made, encode_head(job, file));
  return &made;
}

void IndexStore::add(JobId job, const InputFile& file, const StartPoint& start) {
  const std::lock_guard lock(mutex_);
  const AccessPoint& point = start.point;
  if (directory_.empty() || file.knows_length() || waiting_ > limits_.waiting) return;
  if (start.window.size() > kPackedWindowBytesMax || point.stored >= file.size || point.content == 0) return;
  if (point.content > kOffsetMax) return;
  const std::string name = index_name(file);
  Loaded* const to = writable(name, job, file);
  if (to == nullptr || to->index.bytes > limits_.of_file || to->index.points.size() >= kPointsMax) return;
  const auto behind = to->index.points.lower_bound(point.content);
  if (behind != to->index.points.end() && behind->first - point.content < limits_.apart) return;
  const std::uint64_t before = behind == to->index.points.begin() ? 0 : std::prev(behind)->first;
  if (point.content - before < limits_.apart) return;
  FileIndex::Entry entry{point, {}};
  std::string bytes = encode_entry(start, to->index.bytes, entry.window);
  to->index.points.emplace(point.content, entry);
  append(name, *to, std::move(bytes));
}

void IndexStore::add_end(JobId job, const InputFile& file, std::uint64_t content_bytes) {
  const std::lock_guard lock(mutex_);
  if (directory_.empty() || file.knows_length() || content_bytes == 0) return;
  if (content_bytes > kOffsetMax) return;  // the next job would be refused for it
  const std::string name = index_name(file);
  Loaded* const to = writable(name, job, file);
  if (to == nullptr || to->index.content_bytes == content_bytes) return;
  to->index.content_bytes = content_bytes;
  append(name, *to, encode_end(content_bytes));
}

std::optional<StartPoint> IndexStore::find_start(JobId job, const InputFile& file, std::uint64_t begin) {
  const std::lock_guard lock(mutex_);
  if (directory_.empty() || begin == 0 || file.codec == scheduler::Codec::Plain) return std::nullopt;
  const std::string name = index_name(file);
  Loaded* const known = load(name, file);
  if (known == nullptr || (!file.knows_length() && known->index.job != job)) return std::nullopt;
  const auto& points = known->index.points;
  int tried = 0;
  for (auto at = points.lower_bound(begin); at != points.begin() && tried < kWindowsTried;) {
    const FileIndex::Entry& entry = (--at)->second;
    if (file.knows_length() && !holds(file.points, entry.point)) continue;
    if (!entry.point.needs_window()) return StartPoint{entry.point};
    ++tried;
    if (auto window = read_window(path_of(name), entry.window)) return StartPoint{entry.point, std::move(*window)};
  }
  return std::nullopt;
}

InputIndex IndexStore::find(const InputFile& file) {
  if (directory_.empty()) return {};
  const std::string name = index_name(file);
  if (!shared_.empty()) {
    std::packaged_task<void()> borrowing([&] { borrow(name, file); });
    std::future<void> borrowed = borrowing.get_future();
    asio::post(thread_, std::move(borrowing));
    borrowed.get();
  }
  const std::lock_guard lock(mutex_);
  const Loaded* const known = load(name, file);
  if (known == nullptr || !known->index.is_whole()) return {};
  asio::post(thread_, [path = path_of(name)] { static_cast<void>(::utimensat(AT_FDCWD, path.c_str(), nullptr, 0)); });
  InputIndex found;
  found.content_bytes = known->index.content_bytes;
  for (const auto& [content, entry] : known->index.points) {
    if (content < found.content_bytes) found.points.push_back(entry.point);
  }
  return found;
}

void IndexStore::drop(const InputFile& file) {
  const std::lock_guard lock(mutex_);
  if (directory_.empty()) return;
  const std::string name = index_name(file);
  remove(name);
  if (!shared_.empty()) asio::post(thread_, [path = shared_path_of(name)] { files::remove(path); });
}

void IndexStore::append(const std::string& name, Loaded& to, std::string bytes) {
  const std::uint64_t at = to.index.bytes;
  to.index.bytes += bytes.size();
  kept_[name].bytes = to.index.bytes;
  bytes_ += bytes.size();
  waiting_ += bytes.size();
  ++to.writes;
  asio::post(thread_,
             [this, name, number = to.number, at, bytes = std::move(bytes)] { write(name, number, at, bytes); });
  make_room(name);
}

void IndexStore::write(const std::string& name, std::uint64_t number, std::uint64_t at, const std::string& bytes) {
  const bool is_written = write_index(path_of(name), at, bytes);
  {
    const std::lock_guard lock(mutex_);
    waiting_ -= bytes.size();
    const auto found = loaded_.find(name);
    if (found == loaded_.end() || found->second.number != number) return;
    --found->second.writes;
    if (!is_written) remove(name);
    if (!is_written || shared_.empty() || found->second.writes > 0 || !found->second.index.is_whole()) return;
    has_shared_ = true;
  }
  share(name);
}

void IndexStore::remove(const std::string& name) {
  const auto kept = kept_.find(name);
  if (kept != kept_.end()) bytes_ -= kept->second.bytes;
  if (kept != kept_.end()) kept_.erase(kept);
  loaded_.erase(name);
  asio::post(thread_, [path = path_of(name)] { files::remove(path); });
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
