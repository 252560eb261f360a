#include "common/hdfs/name.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iomanip>
#include <mutex>
#include <string>
#include <vector>

#include "common/base/environment.h"
#include "common/base/wording.h"

namespace ontime::hdfs {
namespace {

constexpr std::string_view kSchemes[] = {"hdfs://", "webhdfs://", "swebhdfs://"};
constexpr std::size_t kTokenBytesMax = 4096;

// The origin of an address that names a server and nothing there.
Result<std::string> origin_of(const std::string& address) {
  const auto url = http::parse_url(address + "/x");
  if (!url) return url.error();
  if (url->target != "/x") return bad_input("'" + address + "' names more than a server.");
  return url->origin;
}

// Looked up until it is found, then never again: a directory service that does not answer would hold up the caller.
std::string name_of_user() {
  static std::mutex mutex;
  static std::string known;
  const std::lock_guard lock(mutex);
  if (!known.empty()) return known;
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> memory;
  const uid_t user = ::geteuid();
  const bool is_found = ::getpwuid_r(user, &entry, memory.data(), memory.size(), &found) == 0 && found != nullptr;
  if (is_found) known = entry.pw_name;
  return is_found ? known : "uid" + std::to_string(user);
}

// That ONTIME_WEBHDFS_URL names; "": none.
Result<std::string> server_of_operator() {
  const std::string given = environment_variable("ONTIME_WEBHDFS_URL");
  if (given.empty()) return given;
  auto server = origin_of(given.ends_with('/') ? given.substr(0, given.size() - 1) : given);
  return server ? server
                : bad_input("ONTIME_WEBHDFS_URL is no http:// or https:// address of a server: '" + given + "'.");
}

Result<std::string> token_of(const std::string& path) {
  std::ifstream file(path);
  std::string token;
  file >> std::setw(kTokenBytesMax + 1) >> token;  // no more is read
  if (token.empty() || token.size() > kTokenBytesMax)
    return bad_input("ONTIME_HDFS_TOKEN_FILE names '" + path +
                     "', from which no delegation token can be read; it holds what GETDELEGATIONTOKEN of WebHDFS "
                     "answers as urlString.");
  return token;
}

// A submitter chooses the address, and the token allows everything that its user may do. So the token is sent only to
// the server that the operator names.
Result<std::string> identity_at(const std::string& server) {
  if (const std::string path = environment_variable("ONTIME_HDFS_TOKEN_FILE"); !path.empty()) {
    const auto trusted = server_of_operator();
    if (!trusted) return trusted.error();
    if (trusted->empty())
      return bad_input(
          "ONTIME_HDFS_TOKEN_FILE is set without ONTIME_WEBHDFS_URL; set that to the one server that the delegation "
          "token may be sent to, such as http://namenode:9870.");
    if (*trusted == server) {
      const auto token = token_of(path);
      return token ? "delegation=" + http::percent_encoded(*token) : token;
    }
  }
  const std::string given = environment_variable("HADOOP_USER_NAME");
  return "user.name=" + http::percent_encoded(given.empty() ? name_of_user() : given);
}

Result<std::string> server_of(const std::string& root) {
  const std::size_t host_begin = root.find("://") + 3;
  const bool is_encrypted = root.starts_with("swebhdfs");
  if (root.starts_with("hdfs")) {
    auto server = server_of_operator();
    if (!server || !server->empty()) return server;
  }
  std::string host = root.substr(host_begin);
  const std::size_t colon = host.find(':', host.starts_with('[') ? host.find(']') : 0);
  if (root.starts_with("hdfs")) host.resize(std::min(colon, host.size()));  // WebHDFS is not at the port of the RPCs
  if (root.starts_with("hdfs") || colon == host.npos) host += is_encrypted ? ":9871" : ":9870";
  return (is_encrypted ? "https://" : "http://") + host;
}

}  // namespace

bool is_name(std::string_view text) {
  return std::any_of(std::begin(kSchemes), std::end(kSchemes), [&](auto scheme) { return text.starts_with(scheme); });
}

Result<Name> parse_name(std::string_view text) {
  const std::string shown = "'" + std::string(text.substr(0, 200)) + "'";
  if (!is_name(text)) return bad_input(shown + " is no hdfs://, webhdfs:// or swebhdfs:// address.");
  if (text.find('\0') != text.npos) return bad_input("The address of a file in HDFS holds a NUL, which no name has.");
  const std::size_t host_begin = text.find("://") + 3;
  const std::size_t path_begin = std::min(text.find('/', host_begin), text.size());
  const std::string host(text.substr(host_begin, path_begin - host_begin));
  if (host.empty())
    return bad_input(shown + " names no host; write hdfs://host/path, as the configuration of Hadoop is not read.");
  if (const auto server = origin_of("http://" + host); !server)
    return bad_input(
        shown + " names no host that could be one, or a user; write hdfs://host/path or webhdfs://host:port/path.");
  Name name{std::string(text.substr(0, path_begin)), ""};
  for (std::size_t at = path_begin; at < text.size();) {
    const std::size_t end = std::min(text.find('/', ++at), text.size());
    const std::string_view part = text.substr(at, end - at);
    if (part == "." || part == "..") return bad_input(shown + " holds '.' or '..' as a name; write it without.");
    if (!part.empty()) name.key.append(part).append(end < text.size() ? "/" : "");
    at = end;
  }
  if (name.key.size() > kPathBytesMax)
    return bad_input(shown + "... is longer than a path of HDFS can be (8000 bytes).");
  return name;
}

Result<http::Url> address_of(const Name& name) {
  auto server = server_of(name.root);
  if (!server) return server.error();
  const auto who = identity_at(*server);
  if (!who) return who.error();
  std::string path = "/webhdfs/v1/" + http::percent_encoded(name.key, "/");
  while (path.ends_with('/')) path.pop_back();
  return http::Url{std::move(*server), path + "?" + *who, path};
}

}  // namespace ontime::hdfs
