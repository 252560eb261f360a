#pragma once
// OUT/_manifest.json: what a committed output directory holds and where every byte of it came from. Written by the
// master at job commit, read by `ontime result` and `ontime verify`. docs/output-format.md describes the file.

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/byte_range.h"
#include "common/base/codec.h"
#include "common/base/result.h"

namespace ontime::output {

inline constexpr const char* kManifestName = "_manifest.json";
inline constexpr const char* kNewManifestName = "_manifest.json.new";  // while it is written
inline constexpr const char* kSuccessName = "_SUCCESS";
inline constexpr const char* kAttemptsName = "_attempts";
// With the claim behind it, the name of `_attempts` while the claim is made or removed. It shows whose claim it is.
inline constexpr const char* kUnfinishedClaim = "_attempts.of-";
inline constexpr std::uint32_t kManifestFormat = 3;

// Where attempts of the job write that holds the directory by this claim, until it is committed.
inline std::string attempts_directory(const std::string& output, const std::string& claim) {
  return output + "/" + kAttemptsName + "/" + claim;
}

struct Segment {
  ByteRange range;           // of the (uncompressed) input file
  std::string attempt;       // "t00003-a1"
  std::string node;          // name of the worker that mapped it
  std::uint64_t offset = 0;  // in the part file
  std::uint64_t length = 0;
  std::uint64_t records = 0;                       // input records
  std::uint32_t crc32c = 0;                        // of the part file's [offset, offset + length)
  std::optional<std::uint64_t> compressed_from{};  // how many bytes those hold; nothing: they are not compressed

  std::uint64_t content_length() const { return compressed_from.value_or(length); }
};

struct Task {
  std::uint32_t index = 0;
  std::uint32_t input = 0;        // index into Manifest::inputs
  ByteRange split;                // with its real end, also for compressed input
  std::string part;               // "part-m-00003.jsonl"; its bytes are the segments' outputs, one after another
  std::vector<Segment> segments;  // in order; they tile the split
  std::uint32_t files = 1;        // inputs from that one on; if several, all of each, and ranges count them one by one
};

struct Input {
  std::string path;                 // or a URL
  std::uint64_t size = 0;           // as stored
  std::string version;              // as scheduler::InputFile
  std::string codec;                // plain, gzip, zstd, stream, xz, bzip2
  std::uint64_t content_bytes = 0;  // of a compressed file, if that was known before it was read; else 0
};

// An input that could not be read, and that the job was to leave out then.
struct LeftOut {
  std::string path;
  std::string why;
};

struct Manifest {
  std::string claim;  // names the job among all jobs of all clusters
  std::string job;    // "job-1"
  // Who submitted the job, "" if the master asks for neither token nor certificate. Nothing: an older Ontime wrote it.
  std::optional<std::string> owner{};
  // The owner of the file, where the manifest was read from one.
  std::optional<uid_t> file_owner{};
  std::string application;
  std::map<std::string, std::string> parameters;  // as given
  std::string policy;
  Codec codec = Codec::Plain;  // of the part files: Plain, Gzip or Zstd; each segment is a member or frame of its own
  std::vector<Input> inputs;
  std::vector<LeftOut> left_out{};
  std::vector<Task> tasks;                                              // by index
  std::map<std::string, std::map<std::string, std::int64_t>> counters;  // group -> name -> value
};

// SHA-256, in hexadecimal digits, of what the output was made from: application, parameters and inputs as the manifest
// shows them.
std::string made_from(const Manifest& manifest);

// The objects that hold a part in a store, which cannot put them together: "part-m-00003.0000.jsonl" and so on, one
// for each segment with output; just the part's own name if that is at most one.
std::vector<std::string> pieces_of(const Task& task);

// What the file holds. One task per line.
std::string to_text(const Manifest& manifest);
// Written beside its place, synced and renamed: there is a whole manifest or none. Without `syncs` that is so until the
// power is cut; then the caller syncs it.
Status write_manifest(const std::string& directory, const Manifest& manifest, bool syncs = true);
// Whether the manifest in this directory (a descriptor) is of the job with this claim. Quick however long it is.
bool is_manifest_of(int directory, const std::string& claim);
// BadInput when the directory (`name`, held open as `directory`) holds none; Failed when it is of another format or
// damaged (says where). Neither follows a link nor waits.
Result<Manifest> read_manifest(int directory, const std::string& name);
Result<Manifest> read_manifest(const std::string& directory);

}  // namespace ontime::output
