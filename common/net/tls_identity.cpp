#include "common/net/tls_identity.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "common/base/environment.h"
#include "common/net/token.h"

namespace ontime::net {
namespace {

using ContextPointer = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

// The first of OpenSSL's errors, which are dropped.
std::string reason_of_openssl() {
  const char* reason = ERR_reason_error_string(ERR_get_error());
  ERR_clear_error();
  return reason == nullptr ? "no reason given" : reason;
}

Status check_readable(const std::string& path, const char* what) {
  if (std::ifstream(path).good()) return {};
  return bad_input(std::string("the ") + what + " '" + path + "' cannot be read: " + std::strerror(errno));
}

Status check_readable(const TlsFiles& files) {
  if (auto status = check_readable(files.authority, "authority's certificate"); !status) return status;
  if (auto status = check_readable(files.certificate, "certificate"); !status) return status;
  return check_readable(files.key, "key");
}

// TLS 1.3 alone has neither renegotiation nor compression; resumption would let a certificate outlive its end.
Result<ContextPointer> make_context() {
  ContextPointer context(SSL_CTX_new(TLS_method()), SSL_CTX_free);
  if (!context) return failed("OpenSSL cannot be set up: " + reason_of_openssl());
  SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return context;
}

Status load_files(SSL_CTX* context, const TlsFiles& files) {
  if (SSL_CTX_load_verify_file(context, files.authority.c_str()) != 1) {
    return bad_input("'" + files.authority + "' is not the certificate of an authority: " + reason_of_openssl());
  }
  // Browsers offer a certificate only of an authority that the server names.
  SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(files.authority.c_str()));
  if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1) {
    return bad_input("'" + files.certificate + "' is not a certificate: " + reason_of_openssl());
  }
  if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    return bad_input("'" + files.key + "' is not the key of the certificate '" + files.certificate +
                     "': " + reason_of_openssl());
  }
  return {};
}

// As the peer would check it, but for the purpose.
Status check_own_certificate(SSL_CTX* context, const TlsFiles& files) {
  const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> check(X509_STORE_CTX_new(),
                                                                              X509_STORE_CTX_free);
  X509* own = SSL_CTX_get0_certificate(context);
  if (!check || X509_STORE_CTX_init(check.get(), SSL_CTX_get_cert_store(context), own, nullptr) != 1) {
    return failed("OpenSSL cannot check '" + files.certificate + "': " + reason_of_openssl());
  }
  if (X509_verify_cert(check.get()) == 1) return {};
  const int why = X509_STORE_CTX_get_error(check.get());
  ERR_clear_error();
  if (why == X509_V_ERR_CERT_HAS_EXPIRED) {
    return bad_input("the certificate '" + files.certificate + "' or its authority's has expired; make another with " +
                     "'ontime certs'");
  }
  return bad_input("the certificate '" + files.certificate + "' does not belong to the authority '" + files.authority +
                   "': " + X509_verify_cert_error_string(why));
}

std::string in_directory(const std::string& directory, const char* file) { return directory + "/" + file; }

}  // namespace

Result<TlsPointer> TlsIdentity::load(const TlsFiles& files) {
  if (auto status = check_readable(files); !status) return status.error();
  if (auto status = check_secret(files.key, "key"); !status) return status.error();
  ERR_clear_error();
  auto context = make_context();
  if (!context) return context.error();
  if (auto status = load_files(context->get(), files); !status) return status.error();
  if (auto status = check_own_certificate(context->get(), files); !status) return status.error();
  return TlsPointer(new TlsIdentity(context->release()));
}

TlsIdentity::~TlsIdentity() { SSL_CTX_free(context_); }

Result<TlsPointer> load_tls(const TlsFiles& flags) {
  const bool is_whole = !flags.authority.empty() && !flags.certificate.empty() && !flags.key.empty();
  if (is_whole) return TlsIdentity::load(flags);
  if (!flags.authority.empty() || !flags.certificate.empty() || !flags.key.empty()) {
    return bad_input("--tls-ca, --tls-cert and --tls-key belong together: give all three or none");
  }
  const std::string directory = environment_variable("ONTIME_TLS_DIR");
  if (directory.empty()) return TlsPointer();
  return TlsIdentity::load(
      {in_directory(directory, "ca.pem"), in_directory(directory, "cert.pem"), in_directory(directory, "key.pem")});
}

}  // namespace ontime::net
