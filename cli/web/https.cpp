#include "cli/web/https.h"

#include <httplib.h>

namespace ontime::cli {
Result<std::unique_ptr<httplib::Server>> make_https_server(const net::TlsFiles& files, VisitorCertificate certificate) {
  const auto identity = net::TlsIdentity::load(files);
  if (!identity) return identity.error();
  SSL_CTX* const ours = (*identity)->context();
  X509_STORE* const authorities = SSL_CTX_get_cert_store(ours);
  X509_STORE_up_ref(authorities);  // for the server, whose it is from then on
  auto server =
      std::make_unique<httplib::SSLServer>(SSL_CTX_get0_certificate(ours), SSL_CTX_get0_privatekey(ours), authorities);
  if (!server->is_valid()) return failed("OpenSSL cannot be set up with '" + files.certificate + "'.");
  SSL_CTX* const context = server->ssl_context();
  const int demand = certificate == VisitorCertificate::Wanted ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | demand, nullptr);
  SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(files.authority.c_str()));
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  if (SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1) return failed("OpenSSL does not know TLS 1.3.");
  return std::unique_ptr<httplib::Server>(std::move(server));
}

bool shows_certificate(const httplib::Request& request) {
  if (request.ssl == nullptr || SSL_get_verify_result(request.ssl) != X509_V_OK) return false;
  return SSL_get0_peer_certificate(request.ssl) != nullptr;
}

}  // namespace ontime::cli
