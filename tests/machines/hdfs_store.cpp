#include "tests/machines/hdfs_store.h"

#include <cstdlib>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "common/http/url.h"

namespace ontime::lab::machines {
namespace {

constexpr std::string_view kPrefix = "/webhdfs/v1/";
constexpr const char* kAtDataNode = "datanode";  // in the address that the NameNode gives

// Names and messages hold nothing that JSON would encode.
std::string quoted(const std::string& text) { return '"' + text + '"'; }
HttpAnswer said(const std::string& name, const std::string& value) {
  return {200, {{"Content-Type", "application/json"}}, "{" + quoted(name) + ":" + value + "}"};
}
HttpAnswer exception(int status, const std::string& name, const std::string& message) {
  HttpAnswer answer =
      said("RemoteException", R"({"exception":)" + quoted(name) + R"(,"message":)" + quoted(message) + "}");
  answer.status = status;
  return answer;
}
HttpAnswer no_such_file(const std::string& key) {
  return exception(404, "FileNotFoundException", "File does not exist: /" + key);
}

std::string parameter(const HttpRequest& request, const char* name) {
  const auto found = request.query.find(name);
  return found == request.query.end() ? "" : found->second;
}

// "/a/b/" is "a/b".
std::string without_slashes(std::string key) {
  while (key.starts_with('/')) key.erase(0, 1);
  while (key.ends_with('/')) key.pop_back();
  return key;
}

std::string parent_of(const std::string& key) {
  const std::size_t slash = key.rfind('/');
  return slash == key.npos ? "" : key.substr(0, slash);
}

std::string status_of(const std::string& name, const HttpStore::Object& file) {
  return R"({"type":"FILE","modificationTime":1,"pathSuffix":)" + quoted(name) + R"(,"fileId":)" + file.version +
         R"(,"length":)" + std::to_string(file.bytes.size()) + "}";
}
std::string status_of_directory(const std::string& name) {
  return R"({"type":"DIRECTORY","pathSuffix":)" + quoted(name) + "}";
}

}  // namespace

void HdfsStore::name_in_environment() const {
  for (const char* name : {"ONTIME_WEBHDFS_URL", "ONTIME_HDFS_TOKEN_FILE", "TMPDIR"}) ::unsetenv(name);
  ::setenv("HADOOP_USER_NAME", "lab", 1);
}

std::string HdfsStore::root() const { return "webhdfs://" + endpoint().substr(std::string_view("http://").size()); }

void HdfsStore::put(const std::string& key, std::string bytes) {
  objects_[key] = {std::move(bytes), std::to_string(++last_id_), false};
  for (std::string above = parent_of(key); !above.empty(); above = parent_of(above)) directories_.insert(above);
}

HttpAnswer HdfsStore::refusal(int status) const { return exception(status, "RetriableException", "not now"); }

HttpAnswer HdfsStore::perform(const HttpRequest& request, bool is_late) {
  if (!request.path.starts_with(kPrefix.substr(0, kPrefix.size() - 1))) return {404};
  const std::string key = without_slashes(request.path.substr(kPrefix.size() - 1));
  const std::string op = parameter(request, "op");
  if ((op == "OPEN" || op == "CREATE") && parameter(request, kAtDataNode).empty()) return name_data_node(request, key);
  if (op == "OPEN") return open(request, key);
  if (op == "CREATE") return create(request, key, is_late);
  if (op == "RENAME") return rename(key, without_slashes(parameter(request, "destination")));
  if (op == "MKDIRS") return make_directories(key);
  if (op == "DELETE") return remove(key, parameter(request, "recursive") == "true");
  if (op == "GETFILESTATUS") return describe(key);
  if (op == "LISTSTATUS_BATCH") return list(key, parameter(request, "startAfter"));
  return exception(400, "UnsupportedOperationException", op);
}

HttpAnswer HdfsStore::name_data_node(const HttpRequest& request, const std::string& key) const {
  if (parameter(request, "op") == "OPEN" && !objects_.contains(key)) return no_such_file(key);
  std::string address = endpoint() + std::string(kPrefix) + http::percent_encoded(key, "/") + "?" + kAtDataNode + "=1";
  for (const auto& [name, value] : request.query) address += "&" + name + "=" + http::percent_encoded(value);
  return said("Location", quoted(address));
}

HttpAnswer HdfsStore::open(const HttpRequest& request, const std::string& key) const {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return no_such_file(key);
  const std::string& bytes = found->second.bytes;
  const std::size_t offset = std::strtoull(parameter(request, "offset").c_str(), nullptr, 10);
  const std::size_t length = std::strtoull(parameter(request, "length").c_str(), nullptr, 10);
  if (offset > bytes.size()) return exception(403, "IOException", "Offset out of the range");
  return {200, {}, bytes.substr(offset, length)};
}

HttpAnswer HdfsStore::create(const HttpRequest& request, const std::string& key, bool is_late) {
  if (objects_.contains(key) || is_directory(key)) return exception(403, "FileAlreadyExistsException", key);
  if (parameter(request, "createparent") == "false" && !is_directory(parent_of(key)))
    return exception(404, "FileNotFoundException", "Parent directory doesn't exist: /" + parent_of(key));
  if (HttpAnswer made = make_directories(parent_of(key)); made.status != 200) return made;
  const Object file{request.content, std::to_string(++last_id_), is_late};
  set(key, &file);
  return {201};
}

HttpAnswer HdfsStore::make_directories(const std::string& key) {
  for (std::string directory = key; !directory.empty(); directory = parent_of(directory)) {
    if (objects_.contains(directory)) return exception(403, "ParentNotDirectoryException", directory);
    directories_.insert(directory);
  }
  return said("boolean", "true");
}

// Nothing is replaced, and no directory is made.
HttpAnswer HdfsStore::rename(const std::string& from, const std::string& to) {
  const auto found = objects_.find(from);
  const bool is_free = !objects_.contains(to) && !is_directory(to) && is_directory(parent_of(to));
  const bool may = found != objects_.end() && is_free;
  if (may) {
    const Object file = found->second;
    set(to, &file);
    set(from, nullptr);
  }
  return said("boolean", may ? "true" : "false");
}

HttpAnswer HdfsStore::remove(const std::string& key, bool is_recursive) {
  if (objects_.contains(key)) {
    set(key, nullptr);
    return said("boolean", "true");
  }
  const std::string below = key + "/";
  if (is_recursive) remove_below(below);
  const auto file = objects_.lower_bound(below);
  const auto directory = directories_.lower_bound(below);
  if ((file != objects_.end() && file->first.starts_with(below)) ||
      (directory != directories_.end() && directory->starts_with(below)))
    return exception(403, "PathIsNotEmptyDirectoryException", "/" + key);
  return said("boolean", directories_.erase(key) > 0 ? "true" : "false");
}

void HdfsStore::remove_below(const std::string& prefix) {
  for (auto file = objects_.lower_bound(prefix); file != objects_.end() && file->first.starts_with(prefix);
       file = objects_.lower_bound(prefix))
    set(std::string(file->first), nullptr);
  std::erase_if(directories_, [&](const std::string& directory) { return directory.starts_with(prefix); });
}

HttpAnswer HdfsStore::describe(const std::string& key) const {
  if (is_directory(key)) return said("FileStatus", status_of_directory(""));
  const auto found = objects_.find(key);
  return found == objects_.end() ? no_such_file(key) : said("FileStatus", status_of("", found->second));
}

HttpAnswer HdfsStore::list(const std::string& directory, const std::string& behind) const {
  const auto name_of = [](const std::string& key) { return key.substr(key.rfind('/') + 1); };
  std::map<std::string, std::string> entries;
  for (const auto& [key, file] : objects_) {
    const std::string name = key == directory ? "" : name_of(key);  // a file lists itself
    if (key == directory || parent_of(key) == directory) entries[name] = status_of(name, file);
  }
  for (const std::string& key : directories_) {
    if (parent_of(key) == directory) entries[name_of(key)] = status_of_directory(name_of(key));
  }
  if (entries.empty() && !is_directory(directory)) return no_such_file(directory);
  std::string page;
  std::size_t listed = 0;
  auto at = behind.empty() ? entries.begin() : entries.upper_bound(behind);
  for (; at != entries.end() && listed < kPageMax; ++at) page += (listed++ == 0 ? "" : ",") + at->second;
  const std::string left = std::to_string(std::distance(at, entries.end()));
  return said("DirectoryListing", R"({"partialListing":{"FileStatuses":{"FileStatus":[)" + page +
                                      R"(]}},"remainingEntries":)" + left + "}");
}

}  // namespace ontime::lab::machines
