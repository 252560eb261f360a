#include "master/inputs/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "common/base/limits.h"
#include "common/http/ranged_file.h"
#include "common/store/access.h"
#include "master/base/text.h"
#include "master/inputs/input_content.h"
#include "master/inputs/input_index.h"
#include "master/mounts/file_system.h"

namespace ontime::master {

using scheduler::InputFile;

std::string shown(std::string_view path) { return "'" + readable(path) + "'"; }

Refusal cannot(const char* what, std::string_view path, int problem) {
  struct stat status {};
  if (problem == ENOENT && ::lstat(std::string(path).c_str(), &status) == 0 && S_ISLNK(status.st_mode))
    return {Flaw::Vanished, bad_input("The input " + shown(path) + " is a link to something that is not there.")};
  return {flaw_of(problem),
          bad_input("The input " + shown(path) + " cannot be " + what + ": " + std::strerror(problem) + ".")};
}

// Sizes are what a file system, a server or a compressed file's header claims.
Status count_bytes(const InputFile& file, std::uint64_t& all) {
  const std::uint64_t bytes = std::max(file.size, file.content_bytes);
  if (bytes > kOffsetMax - all) {
    return bad_input("The input " + shown(file.path) + " is said to hold " + std::to_string(bytes) +
                     " bytes, but a job reads " + std::to_string(kOffsetMax) +
                     " in all at most; correct its size, or leave it out of the input.");
  }
  all += bytes;
  return {};
}

std::string without_links(const std::string& path) {
  std::error_code problem;
  std::string real = std::filesystem::canonical(path, problem).string();
  return problem ? path : real;
}

Error outside(std::string_view path, const files::Roots& roots) {
  return bad_input("The input " + shown(path) + " lies outside of the directories that this cluster reads (" +
                   roots.text() +
                   "), perhaps behind a link; put it into one of them, or let the operator add its "
                   "directory with --input-root.");
}

Error outside_of_addresses(std::string_view address, const files::Roots& roots) {
  return bad_input("The input " + shown(address) + " is none of the addresses that this cluster reads (" +
                   roots.text() + "); let the operator add the beginning of it with --input-root.");
}

Refusal not_read(std::string_view input, const http::Failure& failure) {
  Refusal refusal = bad_input("The input " + shown(input) + " cannot be read: " + failure.message + ".");
  refusal.flaw = flaw_of(failure);
  return refusal;
}

void add_index(InputFile& file, const IndexEffort& effort, const ReadAt& read) {
  InputIndex index = find_input_index(file.codec, file.size, read, effort);
  file.content_bytes = index.content_bytes;
  file.points = std::move(index.points);
}

namespace {

// What of an open file can be told without knowing its name.
Inspected describe(const std::string& path, int descriptor, Changes changes, const app::RecordFormat* records) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return cannot("read", path, errno);
  if (!S_ISREG(status.st_mode))
    return Refusal(Flaw::Unreadable, bad_input("The input " + shown(path) + " is not a regular file."));
  std::array<char, kTellingBytes> first{};
  const ssize_t got = ::pread(descriptor, first.data(), first.size(), 0);
  if (got < 0) return cannot("read", path, errno);
  const Result<Codec> codec = codec_of(path, {first.data(), static_cast<std::size_t>(got)});
  if (!codec) return Refusal(Flaw::Unreadable, codec.error());
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size == 0 && got > 0 && ::fstat(descriptor, &status) == 0 && status.st_size == 0)
    return Refusal(Flaw::Unreadable,
                   bad_input("The input " + shown(path) +
                             " says that it has 0 bytes, and yet it has content, as files of /proc do; copy it into an "
                             "ordinary file and name that."));
  const bool may_grow = changes == Changes::MayGrow && *codec == Codec::Plain;
  InputFile file{path, size, may_grow ? files::growing_version_of(status) : files::version_of(status), *codec};
  const ReadAt read_at = [&](char* to, std::size_t most, std::uint64_t offset) {
    const ssize_t read = ::pread(descriptor, to, most, static_cast<off_t>(offset));
    return read > 0 ? static_cast<std::size_t>(read) : std::size_t{0};
  };
  add_index(file, {}, read_at);
  if (records != nullptr && *codec == Codec::Plain) file.points = find_record_points(*records, size, read_at);
  return file;
}

}  // namespace

Inspected inspect_file(const std::string& path, const files::Roots& roots, Changes changes,
                       const app::RecordFormat* records) {
  const auto [descriptor, unopened, is_outside] =
      files::open_within(roots, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (is_outside) return Refusal(outside(path, roots));
  if (descriptor < 0) return cannot("read", path, unopened);
  Inspected file = describe(path, descriptor, changes, records);
  ::close(descriptor);
  return file;
}

namespace {

http::Answer<void> read_first(http::RangedFile& file, const http::State& state, std::string& bytes) {
  if (bytes.empty()) return {};
  if (state.has_parts) return file.read(state, 0, bytes.size(), bytes.data());
  std::size_t got = 0;
  return file.read_whole(state, [&](std::string_view more) {
    got += more.copy(bytes.data() + got, bytes.size() - got);
    return got < bytes.size();
  });
}

}  // namespace

Inspected inspect_remote(const std::string& address, const files::Roots& roots) {
  const Result<http::Url> url = http::parse_url(address);
  if (!url) return Refusal(bad_input("The input cannot be read: " + readable(url.error().message)));
  if (!roots.hold(address)) return Refusal(outside_of_addresses(address, roots));
  note_progress();
  const std::unique_ptr<http::RangedFile> file = store::open_file(*url);
  const http::Answer<http::State> state = file->look();
  if (!state) {
    Refusal refusal = not_read(address, state.error());
    if (state.error().status == 404 && is_pattern(url->path))
      refusal.error.message += " Web servers have no patterns: name each file, or read names with --files-from.";
    return refusal;
  }
  if (!state->moved_to.empty() && !roots.hold(state->moved_to))
    return Refusal(outside_of_addresses(address + " (it redirects to " + state->moved_to + ")", roots));
  InputFile found{address, state->size, state->version, Codec::Plain};
  std::uint64_t bytes = 0;
  if (Status counted = count_bytes(found, bytes); !counted) return Refusal(counted.error());
  std::string first(std::min<std::uint64_t>(kTellingBytes, state->size), '\0');
  if (const auto read = read_first(*file, *state, first); !read) return not_read(address, read.error());
  const Result<Codec> codec = codec_of(address, first);
  if (!codec) return Refusal(Flaw::Unreadable, codec.error());
  found.codec = !state->has_parts && *codec == Codec::Plain ? Codec::Stream : *codec;
  if (!state->has_parts) return found;
  add_index(found, kRemoteEffort, [&](char* to, std::size_t most, std::uint64_t offset) {
    most = static_cast<std::size_t>(std::min<std::uint64_t>(most, state->size - std::min(offset, state->size)));
    return most > 0 && file->read(*state, offset, most, to) ? most : 0;
  });
  return found;
}

}  // namespace ontime::master
