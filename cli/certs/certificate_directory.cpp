#include "cli/certs/certificate_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "common/net/token.h"

namespace ontime::cli {
namespace {

constexpr mode_t kPublic = 0644;
constexpr mode_t kSecret = 0600;
constexpr mode_t kDirectory = 0700;
constexpr std::size_t kNameBytesMax = 64;  // of a common name
constexpr std::chrono::hours kAuthorityValidity{24 * 3650};
constexpr std::array kRoles{"worker", "submit", "admin", "read-only"};  // each has a directory and a token

Error cannot(const std::string& what, const std::string& path) {
  return failed("cannot " + what + " '" + path + "': " + std::strerror(errno));
}

Status make_directory(const std::string& path) {
  if (::mkdir(path.c_str(), kDirectory) == 0 || errno == EEXIST) return {};
  return cannot("make the directory", path);
}

// Whole or not at all: under another name first.
Status write_file(const std::string& path, const std::string& text, mode_t mode) {
  const std::string fresh = path + ".new";
  ::unlink(fresh.c_str());
  const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0) return cannot("make", fresh);
  const bool is_written = ::fchmod(file, mode) == 0 &&
                          ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                          ::fsync(file) == 0;
  const bool is_closed = ::close(file) == 0;
  if (!is_written || !is_closed || std::rename(fresh.c_str(), path.c_str()) != 0) return cannot("write", path);
  return {};
}

bool is_there(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad() || text.empty()) {
    return bad_input("cannot read '" + path + "'; 'ontime certs init' makes an authority there");
  }
  return text;
}

// It becomes the name of a directory, and stands in logs.
Status check_name(const std::string& name) {
  const auto belongs = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_'; };
  const bool is_good = !name.empty() && name.size() <= kNameBytesMax && name.front() != '.' && name.front() != '-' &&
                       std::all_of(name.begin(), name.end(), belongs);
  if (is_good) return {};
  return bad_input("'" + name +
                   "' is no name for a certificate: letters, digits, '.', '-' and '_', at most 64 of them");
}

}  // namespace

Status CertificateDirectory::make_authority(std::chrono::hours validity, IfThere if_there) {
  if (if_there == IfThere::Refuse && (is_there(path_ + "/ca.pem") || is_there(path_ + "/ca.key"))) {
    return bad_input("there is an authority in '" + path_ +
                     "' already; --force replaces it, and then every certificate has to be made again");
  }
  const auto made = cli::make_authority("Ontime cluster authority", validity);
  if (!made) return made.error();
  if (auto status = make_directory(path_); !status) return status;
  if (auto status = write_file(path_ + "/ca.key", made->key, kSecret); !status) return status;
  return write_file(path_ + "/ca.pem", made->certificate, kPublic);
}

Result<CertificateAndKey> CertificateDirectory::read_authority() const {
  auto certificate = read_file(path_ + "/ca.pem");
  if (!certificate) return certificate.error();
  auto key = read_file(path_ + "/ca.key");
  if (!key) return key.error();
  return CertificateAndKey{std::move(*certificate), std::move(*key)};
}

Result<std::string> CertificateDirectory::issue(const CertificateRequest& request, IfThere if_there) {
  if (auto status = check_name(request.name); !status) return status.error();
  const std::string directory = path_ + "/" + request.name;
  if (if_there == IfThere::Refuse && is_there(directory)) {
    return bad_input("'" + directory + "' is there already; --force replaces it");
  }
  const auto authority = read_authority();
  if (!authority) return authority.error();
  const auto made = make_certificate(*authority, request);
  if (!made) return made.error();
  if (auto status = make_directory(directory); !status) return status.error();
  if (auto status = write_file(directory + "/ca.pem", authority->certificate, kPublic); !status) return status.error();
  if (auto status = write_file(directory + "/key.pem", made->key, kSecret); !status) return status.error();
  if (auto status = write_file(directory + "/cert.pem", made->certificate, kPublic); !status) return status.error();
  return directory;
}

Status CertificateDirectory::write_tokens(const std::string& who, const std::string& file,
                                          const std::string& text) const {
  return write_file(path_ + "/" + who + "/" + file, text, kSecret);
}

Result<std::vector<std::string>> CertificateDirectory::make_cluster(const std::vector<std::string>& hosts,
                                                                    std::chrono::hours validity, IfThere if_there) {
  if (auto checked = check_hosts(hosts); !checked) return checked.error();
  const std::chrono::hours longer = validity + std::chrono::hours(24);
  if (auto made = make_authority(std::max(longer, kAuthorityValidity), if_there); !made) return made.error();
  std::vector<std::string> directories;
  const auto add = [&](const CertificateRequest& request) -> Status {
    auto directory = issue(request, IfThere::Replace);
    if (!directory) return directory.error();
    directories.push_back(std::move(*directory));
    return {};
  };
  if (auto added = add({"master", "worker", hosts, validity}); !added) return added.error();
  std::string accepted;
  for (const std::string role : kRoles) {
    if (auto added = add({role, role, {}, validity}); !added) return added.error();
    const std::string token = role + ":" + net::make_token() + "\n";
    if (auto written = write_tokens(role, "token", token); !written) return written.error();
    // The master's own health check is a reader like any other.
    if (role == "read-only") {
      if (auto written = write_tokens("master", "token", token); !written) return written.error();
    }
    accepted += token;
  }
  if (auto written = write_tokens("master", "tokens", accepted); !written) return written.error();
  return directories;
}

}  // namespace ontime::cli
