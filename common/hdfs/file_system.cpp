#include "common/hdfs/file_system.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>
#include <string_view>
#include <utility>

#include "common/base/kill_point.h"
#include "common/hdfs/file_status.h"

namespace ontime::hdfs {
namespace {

constexpr std::size_t kEntriesMax = 6'400'000;  // that HDFS allows in a directory

std::string random_digits() {
  std::random_device random;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%08x%08x", random(), random());
  return digits;
}

std::string part(std::uint64_t offset, std::uint64_t size) {
  return "OPEN&offset=" + std::to_string(offset) + "&length=" + std::to_string(size);
}

http::Failure changed() { return {http::Trouble::Changed, "it is another version now"}; }

}  // namespace

FileSystem::FileSystem(std::string root, std::string scratch, const std::atomic<bool>* is_over, http::Patience patience)
    : root_(std::move(root)), scratch_(std::move(scratch)), is_over_(is_over), patience_(patience) {}

http::Answer<std::string> FileSystem::ask(const char* method, const std::string& key, const std::string& op,
                                          std::size_t bytes_max) {
  const auto url = address_of({root_, key});
  if (!url) return http::Failure{http::Trouble::Refused, url.error().message};
  if (!exchange_) exchange_.emplace(url->origin, is_over_, patience_);
  return exchange_->ask({method, url->target + "&op=" + op, op.starts_with("OPEN")}, bytes_max);
}

http::Answer<nlohmann::json> FileSystem::ask_json(const char* method, const std::string& key, const std::string& op) {
  const auto answer = ask(method, key, op, kAnswerBytesMax);
  if (!answer) return answer.error();
  return parsed(*answer);
}

// The keys of directories end in a slash, by which they are sorted too: what lies in "a/" comes behind "a.txt".
http::Answer<std::vector<http::Object>> FileSystem::entries(const std::string& directory) {
  std::vector<http::Object> found;
  std::string last;
  std::size_t described_entries = 0;
  for (bool is_last = false; !is_last;) {
    const auto page = ask_json("GET", directory, "LISTSTATUS_BATCH&startAfter=" + http::percent_encoded(last));
    on_answer();
    if (!page && page.error().status == 404) return found;  // also if it has just been removed
    if (!page) return page.error();
    const nlohmann::json& listing = member_of(*page, "DirectoryListing");
    const std::string before = last;
    for (const auto& described :
         member_of(member_of(member_of(listing, "partialListing"), "FileStatuses"), "FileStatus")) {
      last = text_of(described, "pathSuffix");
      ++described_entries;
      auto status = file_status_of(described);
      if (is_of_another_kind(described) || (status && last.empty())) continue;  // a file lists itself, without a name
      // Without it a job would succeed on a part of its input.
      if (!status || last.find('/') != last.npos)
        return http::Failure{http::Trouble::Refused, "what it lists as '" + last + "' cannot be read"};
      status->object.key = directory + last + (status->is_directory ? "/" : "");
      found.push_back(std::move(status->object));
    }
    const nlohmann::json& remaining = member_of(listing, "remainingEntries");
    if (!remaining.is_number_unsigned())
      return http::Failure{http::Trouble::Refused, "its list of files cannot be read"};
    is_last = remaining == 0u;
    if (!is_last && last == before)
      return http::Failure{http::Trouble::Refused, "its list of files goes on, and it does not say how"};
    if (described_entries > kEntriesMax || directory.size() + last.size() > kPathBytesMax)
      return http::Failure{http::Trouble::Refused, "it lists more entries, or longer names, than HDFS can have"};
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  return found;
}

http::Answer<void> FileSystem::list(const std::string& directory, const Take& take, const Enter& enter) {
  std::vector<http::Object> ahead{{directory, 0, ""}};  // the next one last
  while (!ahead.empty()) {
    const http::Object next = std::move(ahead.back());
    ahead.pop_back();
    const bool is_first = next.key == directory;
    if (!is_first && !next.key.ends_with('/')) {
      if (!take(next)) return {};
      continue;
    }
    if (!is_first && enter && !enter(next.key)) continue;
    auto below = entries(next.key);
    if (!below) return std::move(below).error();
    if (ahead.size() + below->size() > kEntriesMax)
      return http::Failure{http::Trouble::Refused, "'" + directory + "' has too many files to be listed"};
    ahead.insert(ahead.end(), std::make_move_iterator(below->rbegin()), std::make_move_iterator(below->rend()));
  }
  return {};
}

http::Answer<std::optional<http::Object>> FileSystem::find(const std::string& key) {
  const auto answer = ask_json("GET", key, "GETFILESTATUS");
  if (!answer && answer.error().status == 404) return std::optional<http::Object>();
  if (!answer) return answer.error();
  const nlohmann::json& described = member_of(*answer, "FileStatus");
  auto status = file_status_of(described);
  if (!status && !is_of_another_kind(described))
    return http::Failure{http::Trouble::Refused, "what it says of '" + key + "' cannot be read"};
  if (!status || status->is_directory) return std::optional<http::Object>();
  status->object.key = key;
  return std::optional(std::move(status->object));
}

http::Answer<std::string> FileSystem::read(const std::string& key, std::uint64_t bytes_max) {
  return ask("GET", key, part(0, bytes_max + 1), static_cast<std::size_t>(bytes_max));
}

http::Answer<std::string> FileSystem::read_range(const http::Object& object, std::uint64_t offset, std::size_t size) {
  auto bytes = ask("GET", object.key, part(offset, size), size);
  if (bytes && bytes->size() < size) return changed();
  return bytes;
}

// Gives its key.
http::Answer<std::string> FileSystem::write_scratch(const std::string& key, const http::Content& content) {
  const auto url = address_of({root_, ""});
  if (!url) return http::Failure{http::Trouble::Refused, url.error().message};
  if (!exchange_) exchange_.emplace(url->origin, is_over_, patience_);
  const std::size_t name = key.rfind('/') + 1;
  const std::string place = (scratch_.empty() ? key.substr(0, name) : scratch_) + key.substr(name) + ".";
  const std::string op = std::string("&op=CREATE&overwrite=false") + (scratch_.empty() ? "&createparent=false" : "");
  std::vector<std::string> tries;
  const auto make = [&]() -> Exchange::Request {
    tries.push_back(place + random_digits());
    const auto file = address_of({root_, tries.back()});
    return {"PUT", (file ? file->target : url->target) + op, true, &content};
  };
  std::string answers;  // none is expected
  http::TextSink sink(answers, kAnswerBytesMax);
  auto written = exchange_->insist(make, sink);
  for (std::size_t i = 0; i + (written ? 1 : 0) < tries.size(); ++i) static_cast<void>(remove(tries[i]));
  if (!written) return std::move(written).error();
  pass_kill_point("hdfs-file-written");
  return tries.back();
}

http::Answer<void> FileSystem::write(const std::string& key, const http::Content& content) {
  const auto written = write_scratch(key, content);
  return written ? put_in_place({*written, content.size, ""}, key) : written.error();
}

http::Answer<bool> FileSystem::create(const std::string& key, std::string_view bytes) {
  const auto written = write_scratch(key, http::content_of(bytes));
  if (!written) return written.error();
  auto renamed = rename(*written, key);
  if (renamed && !*renamed) {
    static_cast<void>(remove(*written));
    if (!scratch_.empty()) remove_directory(scratch_);
  }
  return renamed;
}

// False if there is a file of that name, or none of the old one: also if an answer was lost.
http::Answer<bool> FileSystem::rename(const std::string& from, const std::string& to) {
  const auto answer = ask_json("PUT", from, "RENAME&destination=" + http::percent_encoded("/" + to));
  if (!answer) return answer.error();
  return member_of(*answer, "boolean") == true;
}

http::Answer<void> FileSystem::put_in_place(const http::Object& object, const std::string& key) {
  for (int tries = 0; tries < 2; ++tries) {
    const auto renamed = rename(object.key, key);
    if (!renamed) return renamed.error();
    if (*renamed) return {};
    const auto source = find(object.key);
    if (!source) return source.error();
    const auto target = find(key);
    if (!target) return target.error();
    if (!*source && *target && (*target)->size == object.size) return {};  // an earlier try has done it
    if (!*source) return http::Failure{http::Trouble::Refused, "'" + object.key + "' is not there any more"};
    if (auto removed = remove(key); !removed) return removed;
  }
  return http::Failure{http::Trouble::Unavailable, "HDFS cannot rename '" + object.key + "' to '" + key + "'"};
}

http::Answer<void> FileSystem::remove(const std::string& key) {
  const auto removed = ask_json("DELETE", key, "DELETE&recursive=false");
  if (!removed && removed.error().status != 404) return removed.error();
  return {};
}

http::Answer<void> FileSystem::make_directory(const std::string& key) {
  const auto made = ask_json("PUT", key, "MKDIRS");
  if (!made) return made.error();
  return {};
}

void FileSystem::remove_directory(const std::string& key) { static_cast<void>(remove(key)); }

void FileSystem::remove_tree(const std::string& key) {
  static_cast<void>(ask_json("DELETE", key, "DELETE&recursive=true"));
}

RemoteFile::RemoteFile(const http::Url& url, const std::atomic<bool>* is_over, http::Patience patience)
    : target_(url.target), exchange_(url.origin, is_over, patience) {}

http::Answer<http::State> RemoteFile::look() {
  const auto answer = exchange_.ask({"GET", target_ + "&op=GETFILESTATUS"}, kAnswerBytesMax);
  if (!answer) return answer.error();
  const auto document = parsed(*answer);
  if (!document) return document.error();
  const auto status = file_status_of(member_of(*document, "FileStatus"));
  if (!status || status->is_directory) return http::Failure{http::Trouble::Refused, "it is no file"};
  return http::State{status->object.size, status->object.version, true};
}

http::Answer<void> RemoteFile::read(const http::State& state, std::uint64_t offset, std::uint64_t size,
                                    http::Sink& to) {
  http::CountedSink sink(to, size);
  // From the DataNode that has the middle.
  const auto make = [&]() -> Exchange::Request {
    const std::uint64_t begin = offset + sink.added();
    const std::uint64_t left = size - sink.added();
    return {"GET", target_ + "&op=" + part(begin + left / 2, left), true, nullptr, left, begin};
  };
  auto done = exchange_.insist(make, sink);
  if (done && sink.added() == size) return {};
  if (done || done.error().trouble == http::Trouble::Unavailable) {  // it may be shorter now
    const auto now = look();
    if (now && *now != state) return changed();
  }
  return done ? http::Failure{http::Trouble::Unavailable, "HDFS sends less than was asked for"} : done.error();
}

}  // namespace ontime::hdfs
