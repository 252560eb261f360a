#pragma once
// A simulated file system in memory. What is written can be read at once by everybody; what of it is still there after
// a power cut is what was synced, and of the rest anything: each write wholly, in part or not at all. Names (creating,
// renaming, removing) last once their directory was synced; before that a power cut leaves either the first so many of
// them, as a journaling file system does, or any of them, as POSIX allows.
//
// A disk that machines share (a network file system) keeps names at once, and of what a machine had written and not
// synced it keeps something when that machine fails. What goes wrong between a machine and a disk is the machine's
// (Mount in process.h).

#include <sys/stat.h>

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/machines/open_file.h"

namespace ontime::lab::machines {

class Disk;

struct Inode : std::enable_shared_from_this<Inode> {
  std::uint64_t number = 0;
  mode_t mode = 0;  // with its kind
  Disk* disk = nullptr;
  std::string bytes;                                                   // of a file; of a link its target
  std::map<std::string, std::shared_ptr<Inode>, std::less<>> entries;  // of a directory
  std::weak_ptr<Inode> parent;                                         // where its name is
  std::string name;
  int links = 0;
  TimePoint changed_at{};

  // What has been written since it was synced.
  struct Write {
    std::uint64_t offset;
    std::string before;  // what was there, as far as there was something
    std::string after;
    std::uint64_t size_before;
    std::uint64_t size_after;
    std::uint32_t writer;  // its machine's address
  };
  std::vector<Write> unsynced;
  std::list<Inode*>::iterator written;  // in its disk's list, while something is unsynced
  const void* lock_holder = nullptr;    // flock

  ~Inode();

  bool is_directory() const { return S_ISDIR(mode); }
  bool is_link() const { return S_ISLNK(mode); }
};
using InodePointer = std::shared_ptr<Inode>;

class Disk {
 public:
  enum class Kind : std::uint8_t { Local, Shared };
  // `keeps_order`: of names, as journaling file systems do, which RocksDB counts on.
  Disk(World& world, Kind kind, bool keeps_order);

  const InodePointer& root() const { return root_; }

  // Contents.
  ssize_t read(const Inode& file, void* to, std::size_t size, std::uint64_t offset) const;
  ssize_t write(Inode& file, const void* from, std::size_t size, std::uint64_t offset, std::uint32_t writer);
  int resize(Inode& file, std::uint64_t size, std::uint32_t writer);
  void sync(Inode& file);  // of a directory: its names

  // Names. All give an errno below zero, or 0.
  InodePointer make(const InodePointer& directory, const std::string& name, mode_t mode, int& error);
  int remove(const InodePointer& directory, const std::string& name, bool is_directory);
  int rename(const InodePointer& from, const std::string& name, const InodePointer& to, const std::string& new_name);
  int link(const InodePointer& file, const InodePointer& to, const std::string& name);

  // For who sets the scene: no time passes, and it lasts.
  InodePointer put(const std::string& path, std::string bytes);
  InodePointer find(const std::string& path) const;  // null: not there

  void cut_power(std::uint32_t machine);

  Duration delay_max{std::chrono::microseconds(200)};  // of a call that reaches the disk
  Duration sync_max{std::chrono::milliseconds(5)};
  double bytes_per_second = 200e6;

  World& world() const { return world_; }

 private:
  // One change of names, which happens as a whole.
  struct Change {
    InodePointer directory;
    std::string name;
    InodePointer before;
    InodePointer after;
  };
  struct Step {
    std::vector<Change> changes;
    bool is_durable = false;
  };
  void apply(Step step);
  static void set(const InodePointer& directory, const std::string& name, const InodePointer& inode);
  void keep_some(Inode& file, std::uint32_t machine);
  void note_write(Inode& file, Inode::Write write);
  std::vector<Inode::Write> forget_writes(Inode& file);

  friend struct Inode;
  World& world_;
  const Kind kind_;
  const bool keeps_order_;  // of names
  std::uint64_t last_number_ = 1;
  std::list<Inode*> written_;  // since they were synced, in order of the first write; outlives them
  InodePointer root_;
  std::deque<Step> steps_;  // not durable, or behind one that is not
};

class DiskFile final : public OpenFile {
 public:
  DiskFile(InodePointer of, int how, std::uint32_t machine) : inode(std::move(of)), flags(how), opener(machine) {}

  ssize_t read(void* to, std::size_t size) override;
  ssize_t write(const void* from, std::size_t size) override;
  mode_t kind() const override { return inode->mode & S_IFMT; }
  bool can_be_watched() const override { return false; }

  const InodePointer inode;
  const int flags;
  const std::uint32_t opener;  // its machine's address
  std::uint64_t offset = 0;

 protected:
  void on_closed() override;
};

}  // namespace ontime::lab::machines
