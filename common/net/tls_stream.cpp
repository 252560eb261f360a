#include "common/net/tls_stream.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <asio/ssl/error.hpp>
#include <asio/ssl/stream.hpp>
#include <asio/write.hpp>
#include <utility>

#include "common/net/coroutine.h"

namespace ontime::net {
namespace {

bool is_tls_error(const asio::error_code& error) { return error.category() == asio::error::get_ssl_category(); }

int reason_of(const asio::error_code& error) { return ERR_GET_REASON(static_cast<unsigned long>(error.value())); }

// The peer ended the stream, with or without TLS' own goodbye: frames say themselves whether they are whole.
bool is_end(const asio::error_code& error) {
  return error == asio::error::eof || error == asio::ssl::error::stream_truncated ||
         (is_tls_error(error) && reason_of(error) == SSL_R_UNEXPECTED_EOF_WHILE_READING);
}

// Why OpenSSL did not believe the peer's certificate.
std::string describe_distrust(long why, const std::string& peer, const std::string& host) {
  switch (why) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "the certificate of " + peer + " has expired; make another with 'ontime certs'";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "the certificate of " + peer + " is not valid yet; are both clocks right?";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return "the certificate of " + peer + " is not for '" + host + "'; use a name that it is for, or make one with " +
             "'ontime certs node NAME --host " + host + "'";
    case X509_V_ERR_INVALID_PURPOSE:
      return "the certificate of " + peer + " is not for this side of a connection; a master needs one of a node";
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return "the certificate of " + peer +
             " is not from our authority; make both with the same 'ontime certs' directory";
    default:
      return "the certificate of " + peer + " is not accepted: " + X509_verify_cert_error_string(why);
  }
}

// Why there is no TLS with the peer, other than by its certificate.
std::string describe_failure(const asio::error_code& error, const std::string& peer) {
  if (auto alert = describe_alert(error)) return peer + " ends the connection: " + *alert;
  if (!is_tls_error(error)) return "cannot speak TLS with " + peer + ": " + error.message();
  switch (reason_of(error)) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
      return peer + " does not speak TLS; give it --tls-ca, --tls-cert and --tls-key, or use none of them here";
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
      return peer + " shows no certificate; give it --tls-cert and --tls-key";
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_VERSION_TOO_LOW:
      return peer + " speaks an older TLS than 1.3, which is not allowed";
    default:
      return "cannot speak TLS with " + peer + ": " + error.message();
  }
}

// A name as OpenSSL has it may be in any encoding, and longer than anybody wants to read.
std::string entry_of(const X509_NAME* name, int what) {
  const int at = X509_NAME_get_index_by_NID(name, what, -1);
  if (at < 0) return {};
  const ASN1_STRING* value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at));
  std::string text(reinterpret_cast<const char*>(ASN1_STRING_get0_data(value)),
                   static_cast<std::size_t>(ASN1_STRING_length(value)));
  text.resize(std::min<std::size_t>(text.size(), 64));
  for (char& c : text) {
    if (c < ' ' || c > '~' || c == '"') c = '?';
  }
  return text;
}

// The certificate has to be for the host that was asked for.
void expect_host(SSL* ssl, const std::string& host) {
  X509_VERIFY_PARAM* expected = SSL_get0_param(ssl);
  if (X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str()) == 1) return;
  ERR_clear_error();
  X509_VERIFY_PARAM_set_hostflags(expected, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  X509_VERIFY_PARAM_set1_host(expected, host.c_str(), host.size());
  SSL_set_tlsext_host_name(ssl, host.c_str());
}

}  // namespace

struct TlsStream::State {
  using Stream = asio::ssl::stream<Socket&>;

  State(Socket& socket, TlsPointer identity_in, std::string host_in)
      : identity(std::move(identity_in)), host(std::move(host_in)), stream(socket, SSL_new(identity->context())) {}

  const TlsPointer identity;
  const std::string host;  // empty for a host
  Stream stream;
};

TlsStream::TlsStream(Socket& socket, TlsPointer identity, std::string host)
    : state_(std::make_unique<State>(socket, std::move(identity), std::move(host))) {
  if (!state_->host.empty()) expect_host(state_->stream.native_handle(), state_->host);
}
TlsStream::~TlsStream() = default;

asio::awaitable<Status> TlsStream::shake_hands(std::string peer) {
  const auto side = state_->host.empty() ? asio::ssl::stream_base::server : asio::ssl::stream_base::client;
  const auto [error] = co_await state_->stream.async_handshake(side, no_throw);
  if (!error) co_return Status();
  ERR_clear_error();
  if (is_end(error) || error == asio::error::connection_reset) {
    co_return unavailable(peer + " broke the TLS handshake off");
  }
  const long distrust = SSL_get_verify_result(state_->stream.native_handle());
  const bool is_about_certificate =
      is_tls_error(error) && reason_of(error) == SSL_R_CERTIFICATE_VERIFY_FAILED && distrust != X509_V_OK;
  if (is_about_certificate) co_return bad_input(describe_distrust(distrust, peer, state_->host));
  co_return bad_input(describe_failure(error, peer));
}

PeerCertificate TlsStream::peer_certificate() const {
  const X509* certificate = SSL_get0_peer_certificate(state_->stream.native_handle());
  if (certificate == nullptr) return {};
  const X509_NAME* name = X509_get_subject_name(certificate);
  return {entry_of(name, NID_commonName), entry_of(name, NID_organizationalUnitName)};
}

asio::awaitable<std::pair<asio::error_code, std::size_t>> TlsStream::read_some(asio::mutable_buffer into) {
  const auto [error, size] = co_await state_->stream.async_read_some(into, no_throw);
  if (is_end(error)) co_return std::pair(asio::error_code(asio::error::eof), size);
  co_return std::pair(asio::error_code(error), size);
}

void TlsStream::write(asio::const_buffer from, std::function<void(const asio::error_code&)> then) {
  asio::async_write(state_->stream, from,
                    [then = std::move(then)](const asio::error_code& error, std::size_t) { then(error); });
}

std::optional<std::string> describe_alert(const asio::error_code& error) {
  if (!is_tls_error(error)) return std::nullopt;
  switch (reason_of(error)) {
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
      return "our certificate is not from its authority; make both with the same 'ontime certs' directory";
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
      return "our certificate has expired there; make another with 'ontime certs', or set the clocks right";
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      return "it wants a certificate; give --tls-cert and --tls-key";
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
      return "it speaks no TLS version that we allow, which is 1.3";
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
      return "it does not accept our certificate";
    default:
      return std::nullopt;
  }
}

}  // namespace ontime::net
