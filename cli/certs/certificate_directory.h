#pragma once
// Where `ontime certs` keeps what it makes:
//
//   DIR/ca.pem, DIR/ca.key                     the authority; its key need not be on any machine of the cluster
//   DIR/NAME/ca.pem, cert.pem, key.pem         what one node or client needs: copy it there, name it in $ONTIME_TLS_DIR
//   DIR/NAME/token                             with what it shows, where `ontime certs cluster` has made it
//   DIR/master/tokens                          and with those that the master accepts
//
// Keys have mode 0600, directories 0700. A file that is there is kept unless the caller says that it may be replaced.

#include <chrono>
#include <string>
#include <vector>

#include "cli/certs/certificate_maker.h"
#include "common/base/result.h"

namespace ontime::cli {

enum class IfThere { Refuse, Replace };

class CertificateDirectory {
 public:
  explicit CertificateDirectory(std::string path) : path_(std::move(path)) {}

  // BadInput if there is one: certificates that it signed would be good for nothing.
  Status make_authority(std::chrono::hours validity, IfThere if_there);
  // Signs with the authority of this directory. Gives the directory of the three files. BadInput if the name is none
  // for a directory, or it is there.
  Result<std::string> issue(const CertificateRequest& request, IfThere if_there);
  // A cluster's authority, and for its master (known to others by `hosts`), its workers and each role of clients a
  // directory with certificate and token. Gives those directories. BadInput if there is an authority.
  Result<std::vector<std::string>> make_cluster(const std::vector<std::string>& hosts, std::chrono::hours validity,
                                                IfThere if_there);

  const std::string& path() const { return path_; }

 private:
  Result<CertificateAndKey> read_authority() const;
  Status write_tokens(const std::string& who, const std::string& file, const std::string& text) const;
  std::string path_;
};

}  // namespace ontime::cli
