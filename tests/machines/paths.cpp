#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "tests/machines/calls.h"
#include "tests/machines/watched.h"

namespace ontime::lab::machines {
namespace {

constexpr int kLinksMax = 40;
constexpr std::string_view kDescriptors = "/proc/self/fd/";

// What a file of the kernel says; the text is made when it is opened.
InodePointer kernel_file(Disk& disk, std::string text) {
  const auto inode = std::make_shared<Inode>();
  inode->mode = S_IFREG | 0444;
  inode->links = 1;
  inode->disk = &disk;
  inode->bytes = std::move(text);
  return inode;
}

std::string mount_table() {
  return "20 1 0:1 / / rw - simulated local rw\n21 20 0:2 / " + std::string(Cluster::kSharedMount) +
         " rw - simulated shared rw\n";
}

class Walk {
 public:
  Walk(Process& process, bool follows_last) : process_(process), follows_last_(follows_last) {}

  FoundPath go(InodePointer from, std::string path) {
    FoundPath place;
    place.inode = std::move(from);
    while (!path.empty()) {
      const std::size_t slash = path.find('/');
      const std::string name = path.substr(0, slash);
      path = slash == path.npos ? "" : path.substr(slash + 1);
      const bool is_last = path.find_first_not_of('/') == path.npos;
      if (name.empty() || name == ".") continue;
      if (!place.inode) return error(ENOENT);
      if (!place.inode->is_directory()) return error(ENOTDIR);
      enter(place, name);
      if (place.inode && place.inode->is_link() && (!is_last || follows_last_)) {
        if (++links_ > kLinksMax) return error(ELOOP);
        path = place.inode->bytes + "/" + path;
        place.inode = path.front() == '/' ? process_.machine().disk->root() : place.directory;
      }
    }
    return place;
  }

 private:
  static FoundPath error(int number) { return {.error = -number}; }

  void enter(FoundPath& place, const std::string& name) {
    if (name == "..") {
      const InodePointer above = place.inode->parent.lock();
      place.inode = above ? above : process_.machine().disk->root();
      place.directory = nullptr;
      return;
    }
    if (place.inode == process_.machine().disk->root() && "/" + name == Cluster::kSharedMount) {
      place.inode = process_.machine().cluster().shared->root();
      place.directory = nullptr;
      return;
    }
    place.directory = place.inode;
    place.name = name;
    const auto found = place.directory->entries.find(name);
    place.inode = found == place.directory->entries.end() ? nullptr : found->second;
  }

  Process& process_;
  const bool follows_last_;
  int links_ = 0;
};

bool is_below(std::string_view path, std::string_view directory) {
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

// Of "/proc/self/fd/7/rest": the descriptor's inode, and then the rest.
FoundPath find_by_descriptor(Process& process, std::string_view path, bool follows_last) {
  path.remove_prefix(kDescriptors.size());
  int descriptor = -1;
  const auto [end, problem] = std::from_chars(path.data(), path.data() + path.size(), descriptor);
  const auto file = std::dynamic_pointer_cast<DiskFile>(process.at(descriptor));
  FoundPath place;
  place.error = -ENOENT;
  if (problem != std::errc() || !file) return place;
  return Walk(process, follows_last).go(file->inode, std::string(end, path.data() + path.size()));
}

FoundPath find_special(Process& process, const std::string& path) {
  FoundPath place;
  if (path == "/dev/null") place.special = std::make_shared<NullFile>();
  if (path == "/proc/self/mountinfo") place.inode = kernel_file(*process.machine().disk, mount_table());
  if (!place.special && !place.inode) place.error = -ENOENT;
  return place;
}

}  // namespace

FoundPath find_place(Process& process, int directory, const char* path, bool follows_last) {
  const std::string text = path;
  if (text.empty()) return {.error = -ENOENT};
  if (text.front() == '/') {
    if (text.starts_with(kDescriptors)) return find_by_descriptor(process, text, follows_last);
    if (is_below(text, "/proc") || is_below(text, "/dev") || is_below(text, "/sys")) return find_special(process, text);
    const auto& real = process.machine().cluster().real_paths;
    if (std::any_of(real.begin(), real.end(), [&](const std::string& one) { return is_below(text, one); })) {
      FoundPath place;
      if (!process.machine().has_applications) place.error = -ENOENT;
      place.real = text;
      return place;
    }
    return Walk(process, follows_last).go(process.machine().disk->root(), text.substr(1));
  }
  InodePointer from = process.machine().disk->root();
  if (directory != AT_FDCWD) {
    const auto file = std::dynamic_pointer_cast<DiskFile>(process.at(directory));
    if (!file) return {.error = -EBADF};
    from = file->inode;
  }
  return Walk(process, follows_last).go(std::move(from), text);
}

std::string path_of(const Inode& inode) {
  std::string path;
  const Inode* at = &inode;
  for (auto above = at->parent.lock(); above; above = at->parent.lock()) {
    path = "/" + at->name + path;
    at = above.get();
  }
  Thread* const here = World::here();
  const bool is_shared = here != nullptr && at == here->process().machine().cluster().shared->root().get();
  if (is_shared) path = std::string(Cluster::kSharedMount) + path;
  return path.empty() ? "/" : path;
}

Mount& mount_of(Process& process, const Disk& disk) {
  Machine& machine = process.machine();
  return &disk == machine.cluster().shared.get() ? machine.shared : machine.local;
}

int work_on(Thread& here, Disk& disk, DiskWork work, std::size_t bytes) {
  Process& process = here.process();
  Cluster& cluster = process.machine().cluster();
  Mount& mount = mount_of(process, disk);
  if (cluster.on_disk_work) cluster.on_disk_work(process, disk, work);
  while (mount.hangs) here.wait(mount.answers);
  World& world = here.world();
  const Duration longest = (work == DiskWork::Sync ? disk.sync_max : disk.delay_max) + mount.slower_by;
  double time = seconds(longest) * world.uniform();
  // What only looks finds most of it in memory; so does a change, which is written later.
  if (work != DiskWork::Sync && bytes == 0 && world.random().below(16) != 0) time = 0;
  time += static_cast<double>(bytes) / disk.bytes_per_second;
  if (time > 0) here.sleep_until(world.now() + from_seconds(time));
  while (mount.hangs) here.wait(mount.answers);
  if (mount.fails) return -EIO;
  return mount.is_full && work == DiskWork::Change ? -ENOSPC : 0;
}

}  // namespace ontime::lab::machines
