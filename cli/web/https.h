#pragma once
// HTTPS for the pages: TLS 1.3 with a certificate of `ontime certs node`, and visitors that show one of the same
// authority.

#include <memory>

#include "common/base/result.h"
#include "common/net/tls_identity.h"

namespace httplib {
class Server;
struct Request;
}  // namespace httplib

namespace ontime::cli {

enum class VisitorCertificate { Wanted, Optional };  // optional where a token does as well

// BadInput if a file is none of those that a certificate needs.
Result<std::unique_ptr<httplib::Server>> make_https_server(const net::TlsFiles& files, VisitorCertificate certificate);

// It came from somebody with a certificate of our authority.
bool shows_certificate(const httplib::Request& request);

}  // namespace ontime::cli
