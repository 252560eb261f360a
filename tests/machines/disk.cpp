#include "tests/machines/disk.h"

#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace ontime::lab::machines {
namespace {

// Both in `path`: "/a/b/c" is "/a/b" and "c".
std::pair<std::string, std::string> split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return {path.substr(0, slash), path.substr(slash + 1)};
}

void revert(Inode& file, const Inode::Write& write) {
  file.bytes.resize(std::max<std::size_t>(file.bytes.size(), write.offset + write.before.size()));
  std::memcpy(file.bytes.data() + write.offset, write.before.data(), write.before.size());
  file.bytes.resize(write.size_before);
}

void repeat(Inode& file, const Inode::Write& write, std::size_t count) {
  const std::size_t size = count == write.after.size() ? write.size_after : write.offset + count;
  if (file.bytes.size() < size || write.size_after < write.size_before) file.bytes.resize(size);
  std::memcpy(file.bytes.data() + write.offset, write.after.data(), count);
}

}  // namespace

Inode::~Inode() {
  if (!unsynced.empty()) disk->written_.erase(written);
}

Disk::Disk(World& world, Kind kind, bool keeps_order)
    : world_(world), kind_(kind), keeps_order_(keeps_order), root_(std::make_shared<Inode>()) {
  root_->number = 1;
  root_->mode = S_IFDIR | 0755;
  root_->disk = this;
  root_->links = 2;
}

ssize_t Disk::read(const Inode& file, void* to, std::size_t size, std::uint64_t offset) const {
  if (offset >= file.bytes.size()) return 0;
  const std::size_t count = std::min<std::size_t>(size, file.bytes.size() - offset);
  std::memcpy(to, file.bytes.data() + offset, count);
  return static_cast<ssize_t>(count);
}

void Disk::note_write(Inode& file, Inode::Write write) {
  if (file.unsynced.empty()) file.written = written_.insert(written_.end(), &file);
  file.unsynced.push_back(std::move(write));
  file.changed_at = world_.now();
}

std::vector<Inode::Write> Disk::forget_writes(Inode& file) {
  if (!file.unsynced.empty()) written_.erase(file.written);
  return std::exchange(file.unsynced, {});
}

ssize_t Disk::write(Inode& file, const void* from, std::size_t size, std::uint64_t offset, std::uint32_t writer) {
  const World::Aside aside;
  const std::uint64_t size_before = file.bytes.size();
  const std::uint64_t known = offset < size_before ? std::min<std::uint64_t>(size, size_before - offset) : 0;
  if (size_before < offset + size) file.bytes.resize(offset + size);
  note_write(file, {offset, file.bytes.substr(offset, known), std::string(static_cast<const char*>(from), size),
                    size_before, file.bytes.size(), writer});
  std::memcpy(file.bytes.data() + offset, from, size);
  return static_cast<ssize_t>(size);
}

int Disk::resize(Inode& file, std::uint64_t size, std::uint32_t writer) {
  const World::Aside aside;
  const std::uint64_t size_before = file.bytes.size();
  const std::string cut = size < size_before ? file.bytes.substr(size) : "";
  note_write(file, {std::min(size, size_before), cut, "", size_before, size, writer});
  file.bytes.resize(size);
  return 0;
}

void Disk::sync(Inode& file) {
  const World::Aside aside;
  forget_writes(file);
  if (!file.is_directory()) return;
  for (std::size_t i = steps_.size(); i-- > 0;) {
    const auto touches = [&](const Change& change) { return change.directory.get() == &file; };
    Step& step = steps_[i];
    const bool is_synced = std::any_of(step.changes.begin(), step.changes.end(), touches);
    const bool is_before_synced = keeps_order_ && i + 1 < steps_.size() && steps_[i + 1].is_durable;
    step.is_durable = step.is_durable || is_synced || is_before_synced;
  }
  while (!steps_.empty() && steps_.front().is_durable) steps_.pop_front();
}

void Disk::set(const InodePointer& directory, const std::string& name, const InodePointer& inode) {
  if (!inode) {
    directory->entries.erase(name);
    return;
  }
  directory->entries[name] = inode;
  inode->parent = directory;
  inode->name = name;
}

void Disk::apply(Step step) {
  for (const Change& change : step.changes) {
    set(change.directory, change.name, change.after);
    change.directory->changed_at = world_.now();
  }
  if (kind_ == Kind::Local) steps_.push_back(std::move(step));
}

InodePointer Disk::make(const InodePointer& directory, const std::string& name, mode_t mode, int& error) {
  const World::Aside aside;
  error = directory->links == 0 ? -ENOENT : directory->entries.contains(name) ? -EEXIST : 0;
  if (error != 0) return nullptr;
  const auto inode = std::make_shared<Inode>();
  inode->number = ++last_number_;
  inode->mode = mode;
  inode->disk = this;
  inode->links = S_ISDIR(mode) ? 2 : 1;
  inode->changed_at = world_.now();
  apply({{{directory, name, nullptr, inode}}});
  return inode;
}

int Disk::remove(const InodePointer& directory, const std::string& name, bool is_directory) {
  const World::Aside aside;
  const auto found = directory->entries.find(name);
  if (found == directory->entries.end()) return -ENOENT;
  const InodePointer inode = found->second;
  if (is_directory && !inode->is_directory()) return -ENOTDIR;
  if (!is_directory && inode->is_directory()) return -EISDIR;
  if (is_directory && !inode->entries.empty()) return -ENOTEMPTY;
  inode->links = is_directory ? 0 : inode->links - 1;
  apply({{{directory, name, inode, nullptr}}});
  return 0;
}

int Disk::rename(const InodePointer& from, const std::string& name, const InodePointer& to,
                 const std::string& new_name) {
  const World::Aside aside;
  const auto found = from->entries.find(name);
  if (found == from->entries.end()) return -ENOENT;
  if (to->links == 0) return -ENOENT;
  const InodePointer inode = found->second;
  const auto replaced = to->entries.find(new_name);
  const InodePointer old = replaced == to->entries.end() ? nullptr : replaced->second;
  if (old == inode) return 0;
  if (old && old->is_directory() && !inode->is_directory()) return -EISDIR;
  if (old && !old->is_directory() && inode->is_directory()) return -ENOTDIR;
  if (old && old->is_directory() && !old->entries.empty()) return -ENOTEMPTY;
  if (old) old->links = 0;
  apply({{{from, name, inode, nullptr}, {to, new_name, old, inode}}});
  return 0;
}

int Disk::link(const InodePointer& file, const InodePointer& to, const std::string& name) {
  const World::Aside aside;
  if (to->entries.contains(name)) return -EEXIST;
  ++file->links;
  apply({{{to, name, nullptr, file}}});
  return 0;
}

InodePointer Disk::put(const std::string& path, std::string bytes) {
  const auto [above, name] = split(path);
  InodePointer directory = root_;
  int error = 0;
  for (std::size_t begin = 1; begin < above.size();) {
    const std::size_t end = std::min(above.find('/', begin), above.size());
    const std::string part = above.substr(begin, end - begin);
    const auto found = directory->entries.find(part);
    directory = found != directory->entries.end() ? found->second : make(directory, part, S_IFDIR | 0755, error);
    begin = end + 1;
  }
  const auto file = name.empty() ? directory : make(directory, name, S_IFREG | 0644, error);
  if (file && !file->is_directory()) file->bytes = std::move(bytes);
  steps_.clear();
  return file;
}

InodePointer Disk::find(const std::string& path) const {
  InodePointer at = root_;
  for (std::size_t begin = 1; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const auto found = at->entries.find(path.substr(begin, end - begin));
    if (found == at->entries.end()) return nullptr;
    at = found->second;
    begin = end + 1;
  }
  return at;
}

namespace {

bool is_named(const Inode& inode) {
  const auto parent = inode.parent.lock();
  if (!parent) return false;
  const auto found = parent->entries.find(inode.name);
  return found != parent->entries.end() && found->second.get() == &inode;
}

}  // namespace

// Goes back to what was synced, then repeats some of the rest.
void Disk::keep_some(Inode& file, std::uint32_t machine) {
  const auto writes = forget_writes(file);
  for (auto write = writes.rbegin(); write != writes.rend(); ++write) revert(file, *write);
  const bool in_order = world_.random().below(3) > 0;
  const std::uint64_t kept = world_.random().below(writes.size() + 1);
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const bool is_others = kind_ == Kind::Shared && writes[i].writer != machine;
    const bool is_kept = is_others || (in_order ? i < kept : world_.random().below(2) == 0);
    const bool is_torn = in_order && i == kept;
    if (is_kept || is_torn) {
      const std::size_t size = writes[i].after.size();
      repeat(file, writes[i], is_kept ? size : world_.random().below(size + 1));
    }
    if (is_others) note_write(file, writes[i]);
  }
}

void Disk::cut_power(std::uint32_t machine) {
  for (Inode* const file : std::vector(written_.begin(), written_.end())) keep_some(*file, machine);
  const auto steps = std::exchange(steps_, {});
  const std::uint64_t kept = world_.random().below(steps.size() + 1);
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    for (auto change = step->changes.rbegin(); change != step->changes.rend(); ++change) {
      set(change->directory, change->name, change->before);
    }
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].is_durable && !(keeps_order_ ? i < kept : world_.random().below(2) == 0)) continue;
    for (const Change& change : steps[i].changes) set(change.directory, change.name, change.after);
  }
  for (const Step& step : steps) {
    for (const Change& change : step.changes) {
      for (const InodePointer& inode : {change.before, change.after}) {
        if (inode) inode->links = is_named(*inode) ? (inode->is_directory() ? 2 : 1) : 0;
      }
    }
  }
}

void DiskFile::on_closed() {
  if (inode->lock_holder == this) inode->lock_holder = nullptr;
}

ssize_t DiskFile::read(void* to, std::size_t size) {
  if (inode->is_directory()) return -EISDIR;
  const ssize_t count = inode->disk->read(*inode, to, size, offset);
  if (count > 0) offset += static_cast<std::uint64_t>(count);
  return count;
}

ssize_t DiskFile::write(const void* from, std::size_t size) {
  if ((flags & O_ACCMODE) == O_RDONLY) return -EBADF;
  if ((flags & O_APPEND) != 0) offset = inode->bytes.size();
  const ssize_t count = inode->disk->write(*inode, from, size, offset, opener);
  if (count > 0) offset += static_cast<std::uint64_t>(count);
  return count;
}

}  // namespace ontime::lab::machines
