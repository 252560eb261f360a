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

#include "common/base/result.h"

namespace ontime::cli {

// Makes the private authority of a cluster and the certificates that it signs: ECDSA on P-256, X.509 v3, PEM. Touches
// no file; depends on the clock and on OpenSSL's random numbers.
struct CertificateAndKey {
  std::string certificate;  // PEM
  std::string key;          // PEM, PKCS #8, not encrypted
};

// What a certificate says. The name becomes its common name, the role (common/net/token.h) its organizational unit.
struct CertificateRequest {
  std::string name;
  std::string role;
  std::vector<std::string> hosts;  // names and addresses, for a node: others may connect to it by these; else none
  std::chrono::hours validity{24 * 365};
};

// Backdated a little, since no two clocks agree.
inline constexpr std::chrono::minutes kBackdating{10};

// Signs others for `validity` from now on, but no further authorities.
Result<CertificateAndKey> make_authority(const std::string& name, std::chrono::hours validity);

// BadInput names the one that is neither a host's name nor an address.
Status check_hosts(const std::vector<std::string>& hosts);

// BadInput if the authority cannot sign or its key belongs to another, if a host is malformed, or if the certificate
// would outlive its authority.
Result<CertificateAndKey> make_certificate(const CertificateAndKey& authority, const CertificateRequest& request);

// "2027-11-21 17:00 UTC", for people. BadInput if it is no certificate.
Result<std::string> end_of_validity(const std::string& certificate);

enum class IfThere { Refuse, Replace };

class CertificateDirectory {
 public:
  explicit CertificateDirectory(std::string path) : path_(std::move(path)) {}

  // BadInput if there is one: replacing it would make all certificates that it has signed useless.
  Status make_authority(std::chrono::hours validity, IfThere if_there);
  // Signs with the authority of this directory. Gives the directory of the three files. BadInput if the name
  // cannot be a directory's, or the directory exists.
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
