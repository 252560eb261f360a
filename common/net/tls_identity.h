#pragma once
// Who we are in TLS, and whom we believe: a certificate with its key, and the authority that has signed all of the
// cluster's certificates. TLS 1.3 only, certificates on both sides, no resumption. Loaded once; immutable.

#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/base/tls_files.h"

struct ssl_ctx_st;  // OpenSSL's; its headers stay in tls_*.cpp

namespace ontime::net {

class TlsIdentity {
 public:
  // BadInput if a file cannot be read, the key does not belong to the certificate or can be read by everybody, the
  // certificate has expired, or the authority has not signed it.
  static Result<std::shared_ptr<const TlsIdentity>> load(const TlsFiles& files);
  ~TlsIdentity();
  TlsIdentity(const TlsIdentity&) = delete;
  TlsIdentity& operator=(const TlsIdentity&) = delete;

  ssl_ctx_st* context() const { return context_; }

 private:
  explicit TlsIdentity(ssl_ctx_st* context) : context_(context) {}
  ssl_ctx_st* context_;  // owned
};

using TlsPointer = std::shared_ptr<const TlsIdentity>;  // null: connections are not encrypted

// What the flags --tls-ca, --tls-cert and --tls-key say: all or none of them. None: ca.pem, cert.pem and key.pem of
// $ONTIME_TLS_DIR; without that, null.
Result<TlsPointer> load_tls(const TlsFiles& flags);

// What the certificate of a peer says that our authority has signed. Anything but printable ASCII is shown as '?'.
struct PeerCertificate {
  std::string name;  // common name
  std::string role;  // organizational unit: one of token.h, if it was made by `ontime certs`
};

}  // namespace ontime::net
