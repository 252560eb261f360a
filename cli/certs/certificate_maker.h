#pragma once
// Makes the private authority of a cluster and the certificates that it signs: ECDSA on P-256, X.509 v3, PEM. Touches
// no file; depends on the clock and on OpenSSL's random numbers.

#include <chrono>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace ontime::cli {

struct CertificateAndKey {
  std::string certificate;  // PEM
  std::string key;          // PEM, PKCS #8, not encrypted
};

// What a certificate says. The name becomes its common name, the role (common/net/roles.h) its organizational unit.
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

// BadInput if the authority is none, its key is another's, a host is malformed, or it would outlive its authority.
Result<CertificateAndKey> make_certificate(const CertificateAndKey& authority, const CertificateRequest& request);

// "2027-11-21 17:00 UTC", for people. BadInput if it is no certificate.
Result<std::string> end_of_validity(const std::string& certificate);

}  // namespace ontime::cli
