#pragma once
// Where reading may begin in files in which it may not begin anywhere, such as compressed ones, and how much they hold,
// as far as attempts have found it out. With it attempts begin nearer to what they map, and the next job divides its
// input. Kept in a directory beside the journal, a
// file for each input (FileIndex). Nothing depends on it: nothing is synced, and what cannot be written or read is
// missing. A thread of its own reads and writes, so the control thread never waits for that disk. Bounded:
// for each file, for all files (the one used longest ago goes), and for what waits to be written.
//
// A job is free to say what it likes of a file. So before another one has checked it, only the job itself relies on it:
// its attempts begin at what its attempts have found. Another job gets the whole of it as a part of its JobSpec, and
// its attempts check each point (worker/data/compressed_source.cpp).
//
// Masters may share a directory, as those of `ontime run` do one after another or side by side: what is whole is copied
// there at once and never changed, and a master copies what it needs to its own directory.

#include <asio/thread_pool.hpp>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "common/base/byte_range.h"
#include "common/base/ids.h"
#include "master/inputs/input_index.h"
#include "scheduler/core/job_spec.h"

namespace ontime::master {

// Where a window lies in the index's file.
struct StoredWindow {
  std::uint64_t at = 0;
  std::uint32_t bytes = 0;
  std::uint32_t checksum = 0;
};

// The index of one file on disk, as far as attempts have found it (docs/journal-format.md):
//
//   file  := head entry*
//   head  := "ONTIMEX1" job path_bytes version_bytes size checksum path version
//   entry := content stored state window_hash window_bytes window_checksum checksum window
//
// Numbers are little endian. Each checksum is a CRC-32C: of the head without it, of the entry's numbers before it, of
// the window. What does not fit ends the file: a crash may leave a torn end.
struct FileIndex {
  struct Entry {
    AccessPoint point;
    StoredWindow window;
  };
  JobId job;                              // whose attempts have found it
  std::map<std::uint64_t, Entry> points;  // by their offset in the content
  std::uint64_t content_bytes = 0;        // 0: no attempt has come to the end
  std::uint64_t bytes = 0;                // of its file

  // The whole of the content, without a part of it that it would take long to pass.
  bool is_whole() const;
  bool has_marks() const;  // of records
};

// Whether attempts of a job may find out where reading the file may begin, or get windows for it.
bool is_indexed(const scheduler::JobSpec& spec, const scheduler::InputFile& file);

// The name of the index of a file, the same for no other file or version.
std::string index_name(const scheduler::InputFile& file);

std::string encode_head(JobId job, const scheduler::InputFile& file);
// Notes where the window will lie if the entry is written at `at`.
std::string encode_entry(const StartPoint& start, std::uint64_t at, StoredWindow& window);
std::string encode_end(std::uint64_t content_bytes);

// Nothing if there is none, or it is another file's.
std::optional<FileIndex> read_index(const std::string& path, const scheduler::InputFile& file);
// Puts the bytes at that place of the file, which begins anew at 0. Its directory is made if it is not there. Nobody
// else may read either. False if that fails.
bool write_index(const std::string& path, std::uint64_t at, std::string_view bytes);
// How many bytes the copy has; nothing if one of them cannot be read or written. `head`: in place of its first bytes.
std::optional<std::uint64_t> copy_index(const std::string& from, const std::string& to, std::string_view head = {});
std::optional<std::string> read_window(const std::string& path, const StoredWindow& window);

class IndexStore {
 public:
  struct Limits {
    std::uint64_t of_file = 128u << 20;  // bytes on disk
    std::uint64_t of_all = 256u << 20;
    std::size_t files = 4096;
    std::size_t loaded = 64;            // of them in memory
    std::uint64_t waiting = 16u << 20;  // bytes
    std::uint64_t apart = 768u << 10;   // content from one point to the next, at least; as InputNotes
  };

  // An empty name: nothing is kept. `shared`: the directory that other masters use too; empty: there is none.
  explicit IndexStore(std::string directory, std::string shared = {})
      : IndexStore(std::move(directory), Limits(), std::move(shared)) {}
  IndexStore(std::string directory, Limits limits, std::string shared = {});
  ~IndexStore();  // when what waits is written

  using File = std::shared_ptr<const scheduler::InputFile>;
  using Then = std::function<void(std::optional<StartPoint>)>;

  // Nothing but find() waits for the disk: what is asked for is done later, in this order, on a thread of its own.

  // An attempt of the job has been at this place; has found that the file holds so much.
  void add(JobId job, File file, StartPoint start);
  void add_end(JobId job, File file, std::uint64_t content_bytes);
  // Finds the last place before `begin` at which an attempt of the job may begin reading. Calls `then` on that thread,
  // with nothing if there is no such place. False, without a call, if there cannot be one.
  bool find_start(JobId job, File file, std::uint64_t begin, Then then);
  // The index of a file that was read to its end, otherwise an empty one. Waits for the disk and for what other masters
  // share, so the control thread must not call it.
  InputIndex find(const scheduler::InputFile& file);
  // Forgets an index that has proved wrong.
  void drop(File file);

 private:
  struct Kept {
    std::uint64_t bytes = 0;
    std::uint64_t used = 0;  // when, in order
  };

  std::string path_of(const std::string& name) const { return directory_ + "/" + name; }
  std::string shared_path_of(const std::string& name) const { return shared_ + "/" + name; }
  void list();

  // On the thread, as all that follows.
  void insert(JobId job, const scheduler::InputFile& file, const StartPoint& start);
  void insert_end(JobId job, const scheduler::InputFile& file, std::uint64_t content_bytes);
  std::optional<StartPoint> start_before(JobId job, const scheduler::InputFile& file, std::uint64_t begin);
  InputIndex whole(const scheduler::InputFile& file);
  void borrow(const std::string& name, const scheduler::InputFile& file);
  void share(const std::string& name);
  FileIndex* load(const std::string& name, const scheduler::InputFile& file);  // null: there is none
  // The one that the job may add to, or null.
  FileIndex* writable(const std::string& name, JobId job, const scheduler::InputFile& file, bool with_marks);
  void append(const std::string& name, FileIndex& to, const std::string& bytes);
  void remove(const std::string& name);
  void make_room(const std::string& for_name);
  void forget_some(const std::string& but);

  const std::string directory_;
  const std::string shared_;
  const Limits limits_;
  std::atomic<std::uint64_t> waiting_ = 0;  // bytes
  std::map<std::string, FileIndex> loaded_;
  std::map<std::string, Kept> kept_;  // all that are on disk
  std::uint64_t bytes_ = 0;           // of them
  std::set<std::string> to_share_;
  std::uint64_t uses_ = 0;
  bool has_shared_ = false;
  asio::thread_pool thread_{1};
};

}  // namespace ontime::master
