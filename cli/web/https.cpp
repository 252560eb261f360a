#include "cli/web/https.h"

#include <httplib.h>

namespace ontime::cli {
namespace {

bool set_up(SSL_CTX& context, const net::TlsFiles& files, VisitorCertificate certificate) {
  const int demand = certificate == VisitorCertificate::Wanted ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
  SSL_CTX_set_verify(&context, SSL_VERIFY_PEER | demand, nullptr);
  SSL_CTX_set_client_CA_list(&context, SSL_load_client_CA_file(files.authority.c_str()));
  SSL_CTX_set_session_cache_mode(&context, SSL_SESS_CACHE_OFF);
  return SSL_CTX_set_min_proto_version(&context, TLS1_3_VERSION) == 1 && SSL_CTX_set_num_tickets(&context, 0) == 1 &&
         SSL_CTX_load_verify_locations(&context, files.authority.c_str(), nullptr) == 1 &&
         SSL_CTX_use_certificate_chain_file(&context, files.certificate.c_str()) == 1 &&
         SSL_CTX_use_PrivateKey_file(&context, files.key.c_str(), SSL_FILETYPE_PEM) == 1;
}

}  // namespace

Result<std::unique_ptr<httplib::Server>> make_https_server(const net::TlsFiles& files, VisitorCertificate certificate) {
  if (const auto identity = net::TlsIdentity::load(files); !identity) return identity.error();
  auto server =
      std::make_unique<httplib::SSLServer>([&](SSL_CTX& context) { return set_up(context, files, certificate); });
  if (!server->is_valid()) return failed("OpenSSL cannot be set up with '" + files.certificate + "'.");
  return std::unique_ptr<httplib::Server>(std::move(server));
}

bool shows_certificate(const httplib::Request& request) {
  if (request.ssl == nullptr || SSL_get_verify_result(request.ssl) != X509_V_OK) return false;
  return SSL_get0_peer_certificate(request.ssl) != nullptr;
}

}  // namespace ontime::cli
