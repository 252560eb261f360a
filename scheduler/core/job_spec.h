#pragma once
// What a job is: immutable once accepted, stored in the journal as it is.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/byte_range.h"
#include "common/base/codec.h"
#include "common/base/job_settings.h"
#include "common/base/result.h"
#include "common/base/time.h"

namespace ontime::scheduler {

// One of several small files that share a task.
struct InputPart {
  std::string path;
  std::uint64_t size = 0;
  std::string version;
  Codec codec = Codec::Plain;
  bool operator==(const InputPart&) const = default;
};

// One input file as it was when the job was submitted; an attempt that finds another size or version fails the job.
// Or a group of small files (divide_input). To the scheduler that is one file: its size is the sum of theirs, and
// offsets count what they hold one after another. With a compressed file among them nobody knows how much that is, and
// its codec is Stream.
struct InputFile {
  std::string path;        // absolute, or a URL; of a group, its first file's
  std::uint64_t size = 0;  // bytes as stored
  std::string version;     // of its contents: a modification time, an ETag or another mark of the store
  Codec codec = Codec::Plain;
  // How much a compressed file holds and where reading may begin, if its headers or an earlier job have shown it.
  std::uint64_t content_bytes = 0;
  std::vector<AccessPoint> points{};
  std::vector<InputPart> parts{};  // the files of a group, at least two; else none
  // Whether somebody knows how much there is to map; how much that is, else 0.
  bool knows_length() const { return codec == Codec::Plain || content_bytes > 0; }
  std::uint64_t length() const { return codec == Codec::Plain ? size : content_bytes; }
  // Whether reading may begin somewhere inside, or it is so little that it does not matter.
  bool is_divisible() const {
    constexpr std::uint64_t kLittle = 4u << 20;
    return codec == Codec::Plain || !points.empty() || (content_bytes > 0 && content_bytes <= kLittle);
  }
  bool operator==(const InputFile&) const = default;
};

inline constexpr Duration kNoTimeout = Duration::max();

using StringMap = std::map<std::string, std::string, std::less<>>;

// A policy and its parameters.
struct PolicyChoice {
  std::string name = "auto";
  StringMap parameters;
};

// As people write it: "late", "shed+:theta=1s,lambda=0.2". BadInput if it is not NAME or NAME:KEY=VALUE,... ;
// check_policy() finds out whether there is such a policy.
Result<PolicyChoice> read_policy(const std::string& text);

// A small file that is sent with a job.
struct ShippedFile {
  std::string name;  // without a directory
  std::string content;
  bool executable = false;
  bool operator==(const ShippedFile&) const = default;
};

struct JobSpec : JobSettings {
  std::string application;
  StringMap parameters;
  std::vector<InputFile> inputs;  // in input order; empty files are left out
  std::string output;             // absolute directory
  std::string claim;              // id under which the job holds that directory; no other job has it
  std::uint64_t split_bytes = 128u << 20;
  std::string owner;               // the name of the token or certificate that submitted it; empty: nobody
  std::vector<ShippedFile> files;  // that attempts find in their directory
  std::vector<std::string> application_directories;  // where workers look for the application first
  std::vector<std::string> notify;                   // WHEN:WHAT, see master/notices/notify.h
  // Another engine launches its attempts and says so (event::LaunchedElsewhere); it is asked for copies only.
  bool advised = false;

  JobSpec() { checkpoint_interval = std::chrono::seconds(5); }
  bool operator==(const JobSpec&) const = default;
};

// The input of one map task.
struct Split {
  std::uint32_t file = 0;  // index into JobSpec::inputs
  ByteRange range;
  auto operator<=>(const Split&) const = default;
};

// The splits of a job: files in pieces of `split_bytes`. What is left at the end of a file is a shorter split, or joins
// the split before it if it is less than a tenth of one. A compressed file of some size in which reading can begin
// nowhere else is one split, and one of unknown length has an unknown end. A group is one split, as it is never larger.
// Pure: the journal stores the spec and not the splits. Memory: four bytes for each input, none for a split.
class Splits {
 public:
  explicit Splits(const JobSpec& spec);  // which outlives it

  std::uint32_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  Split operator[](std::uint32_t index) const;  // REQUIRES: index < size(). O(log inputs)

 private:
  const JobSpec* spec_;
  std::vector<std::uint32_t> ends_;  // by input: the index behind its last split
};
std::vector<Split> make_splits(const JobSpec& spec);  // all of them
std::uint64_t count_splits(const JobSpec& spec);      // how many they are, of any spec
// How many files the inputs are, those of groups included.
std::uint64_t count_files(const JobSpec& spec);

// An input or its output is in a store or on a web server.
bool has_store(const JobSpec& spec);

enum class FailureKind : std::uint8_t;
// Inputs with which attempts fail in that way are left out, as JobSpec::skip says, instead of failing the job.
bool leaves_out(const JobSpec& spec, FailureKind kind);
// Inputs may be left out that were there at submission: so none shares a task with others.
bool leaves_out_while_mapped(const JobSpec& spec);
// The inputs that a job leaves out are kept in memory, and shown.
inline constexpr std::size_t kLeftOutMax = 1000;
inline constexpr std::size_t kLeftOutTextMax = 256u << 10;  // their paths and why

// By what later jobs find what attempts of this one have shown: the application and its parameters. Empty: those are
// longer than kProfileKeyBytesMax, and the job neither finds nor leaves a profile.
std::string profile_key(const JobSpec& spec);
inline constexpr std::size_t kProfileKeyBytesMax = 64u << 10;

// How an input is divided: the split size, and which small files share a task. Consecutive files that are smaller than
// a split, compressed ones much smaller, form a group, which is one split (InputFile::parts). Pure.

// A launch names the files of its group, so these bound a message.
inline constexpr std::size_t kGroupFilesMax = 4096;
inline constexpr std::size_t kGroupTextMax = 256 << 10;  // bytes of their paths and versions

// What a user asked for.
struct InputDivision {
  std::uint64_t split_bytes = 0;  // 0: `splits`, or else the job's
  std::uint32_t splits = 0;       // 0: not given
  bool groups = true;             // false: each file is at least one task
};

// Gives the job its inputs and its split size. With a split size or a number of splits, groups are filled up to a
// split. Otherwise small files share a task only as far as some hundred tasks are left (default_group_bytes).
void divide_input(JobSpec& spec, std::vector<InputFile> files, const InputDivision& division);

// The smallest split size that makes at most `count` tasks of `files`, or as few as they can be.
std::uint64_t split_bytes_for(const std::vector<InputFile>& files, std::uint32_t count, bool groups);

// The files in their order, those that are smaller than `group_bytes` put together to groups of at most that size.
std::vector<InputFile> group_files(std::vector<InputFile> files, std::uint64_t group_bytes);

// What a group may have by default: a hundredth of a small input, 64 KiB, or a thousandth of a large one; at most a
// split.
std::uint64_t default_group_bytes(const std::vector<InputFile>& files, std::uint64_t split_bytes);

}  // namespace ontime::scheduler
