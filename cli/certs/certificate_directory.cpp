#include "cli/certs/certificate_directory.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>

#include "common/files/file_system.h"
#include "common/net/token.h"

namespace ontime::cli {
namespace {

constexpr mode_t kPublic = 0644;
constexpr mode_t kSecret = 0600;
constexpr mode_t kDirectory = 0700;
constexpr std::size_t kNameBytesMax = 64;  // of a common name
constexpr std::chrono::hours kAuthorityValidity{24 * 3650};
constexpr std::array kRoles{"worker", "submit", "admin", "read-only"};  // each has a directory and a token

Status make_directory(const std::string& path) {
  const int problem = files::make_directory(path, kDirectory);
  return problem == 0 || problem == EEXIST ? Status() : files::system_error("make the directory", path, problem);
}

Status write_file(const std::string& path, const std::string& text, mode_t mode) {
  return files::replace_file(path, path + ".new", text, mode);
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

template <class T, auto Free>
struct FreedBy {
  void operator()(T* object) const { Free(object); }
};
using Bio = std::unique_ptr<BIO, FreedBy<BIO, BIO_free>>;
using Key = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, FreedBy<X509, X509_free>>;
using Number = std::unique_ptr<BIGNUM, FreedBy<BIGNUM, BN_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, FreedBy<X509_EXTENSION, X509_EXTENSION_free>>;

constexpr long kVersion3 = 2;  // X.509 counts from 0
constexpr int kSerialBits = 127;
constexpr std::size_t kHostBytesMax = 253;

Error openssl_failed(const char* what) {
  const char* reason = ERR_reason_error_string(ERR_get_error());
  ERR_clear_error();
  return failed(std::string("OpenSSL cannot ") + what + ": " + (reason == nullptr ? "no reason given" : reason));
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

Bio reader_of(const std::string& text) { return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

Certificate read_certificate(const std::string& pem) {
  const Bio bio = reader_of(pem);
  return Certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

// An encrypted key is refused rather than asked a password for.
Key read_key(const std::string& pem) {
  const Bio bio = reader_of(pem);
  const auto no_password = [](char*, int, int, void*) { return 0; };
  return Key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
}

Result<CertificateAndKey> write(const Certificate& certificate, const Key& key) {
  const Bio certificate_text(BIO_new(BIO_s_mem()));
  const Bio key_text(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return openssl_failed("write a certificate");
  }
  return CertificateAndKey{text_of(certificate_text.get()), text_of(key_text.get())};
}

bool set_random_serial(X509* certificate) {
  const Number number(BN_new());
  return BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool add_entry(X509_NAME* name, const char* field, const std::string& text) {
  return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(text.data()),
                                    static_cast<int>(text.size()), -1, 0) == 1;
}

bool add_extension(X509* certificate, X509* issuer, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

// Everything that an authority and what it signs have in common.
Certificate make_blank(const std::string& name, const std::string& role, std::chrono::hours validity, EVP_PKEY* key) {
  Certificate made(X509_new());
  const long before = -std::chrono::seconds(kBackdating).count();
  const long after = std::chrono::seconds(validity).count();
  X509_NAME* subject = X509_get_subject_name(made.get());
  const bool done = X509_set_version(made.get(), kVersion3) == 1 && set_random_serial(made.get()) &&
                    X509_gmtime_adj(X509_getm_notBefore(made.get()), before) != nullptr &&
                    X509_gmtime_adj(X509_getm_notAfter(made.get()), after) != nullptr &&
                    add_entry(subject, "O", "Ontime") && (role.empty() || add_entry(subject, "OU", role)) &&
                    add_entry(subject, "CN", name) && X509_set_pubkey(made.get(), key) == 1;
  return done ? std::move(made) : nullptr;
}

bool is_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> ignored{};
  return inet_pton(AF_INET, host.c_str(), ignored.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), ignored.data()) == 1;
}

// Also keeps the text from being read as something else by OpenSSL's little language for extensions.
bool is_host_name(const std::string& host) {
  const auto belongs = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_'; };
  return !host.empty() && host.size() <= kHostBytesMax && std::all_of(host.begin(), host.end(), belongs);
}

std::string alternative_names(const std::vector<std::string>& hosts) {
  std::string names;
  for (const std::string& host : hosts) {
    if (!names.empty()) names += ",";
    names += is_address(host) ? "IP:" : "DNS:";
    names += host;
  }
  return names;
}

struct Authority {
  Certificate certificate;
  Key key;
};

Result<Authority> read_authority(const CertificateAndKey& pem) {
  Authority authority{read_certificate(pem.certificate), read_key(pem.key)};
  ERR_clear_error();
  if (!authority.certificate || X509_check_ca(authority.certificate.get()) != 1) {
    return bad_input("this is not the certificate of an authority; 'ontime certs init' makes one");
  }
  if (!authority.key || X509_check_private_key(authority.certificate.get(), authority.key.get()) != 1) {
    ERR_clear_error();
    return bad_input("this is not the key of the authority");
  }
  return authority;
}

// A node is connected to and connects; a client only connects.
bool add_leaf_extensions(X509* made, X509* issuer, const std::string& hosts) {
  return add_extension(made, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
         add_extension(made, issuer, NID_key_usage, "critical,digitalSignature") &&
         add_extension(made, issuer, NID_ext_key_usage, hosts.empty() ? "clientAuth" : "serverAuth,clientAuth") &&
         add_extension(made, issuer, NID_subject_key_identifier, "hash") &&
         add_extension(made, issuer, NID_authority_key_identifier, "keyid:always") &&
         (hosts.empty() || add_extension(made, issuer, NID_subject_alt_name, hosts));
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

Status check_hosts(const std::vector<std::string>& hosts) {
  for (const std::string& host : hosts) {
    if (!is_address(host) && !is_host_name(host)) {
      return bad_input("'" + host + "' is neither the name of a host nor an address");
    }
  }
  return {};
}

Result<CertificateAndKey> make_authority(const std::string& name, std::chrono::hours validity) {
  ERR_clear_error();
  const Key key(EVP_EC_gen("P-256"));
  if (!key) return openssl_failed("make a key");
  const Certificate made = make_blank(name, "", validity, key.get());
  const bool done = made && X509_set_issuer_name(made.get(), X509_get_subject_name(made.get())) == 1 &&
                    add_extension(made.get(), made.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                    add_extension(made.get(), made.get(), NID_key_usage, "critical,keyCertSign,cRLSign") &&
                    add_extension(made.get(), made.get(), NID_subject_key_identifier, "hash") &&
                    X509_sign(made.get(), key.get(), EVP_sha256()) > 0;
  if (!done) return openssl_failed("make an authority");
  return write(made, key);
}

Result<CertificateAndKey> make_certificate(const CertificateAndKey& authority_pem, const CertificateRequest& request) {
  if (auto checked = check_hosts(request.hosts); !checked) return checked.error();
  const std::string hosts = alternative_names(request.hosts);
  const auto authority = read_authority(authority_pem);
  if (!authority) return authority.error();
  X509* issuer = authority->certificate.get();
  const Key key(EVP_EC_gen("P-256"));
  if (!key) return openssl_failed("make a key");
  const Certificate made = make_blank(request.name, request.role, request.validity, key.get());
  if (!made) return openssl_failed("make a certificate");
  if (ASN1_TIME_compare(X509_get0_notAfter(made.get()), X509_get0_notAfter(issuer)) > 0) {
    return bad_input("the certificate would be valid for longer than its authority; ask for fewer days, or make " +
                     std::string("another authority with 'ontime certs init'"));
  }
  const bool done = X509_set_issuer_name(made.get(), X509_get_subject_name(issuer)) == 1 &&
                    add_leaf_extensions(made.get(), issuer, hosts) &&
                    X509_sign(made.get(), authority->key.get(), EVP_sha256()) > 0;
  if (!done) return openssl_failed("make a certificate");
  return write(made, key);
}

Result<std::string> end_of_validity(const std::string& certificate) {
  const Certificate read = read_certificate(certificate);
  ERR_clear_error();
  std::tm end{};
  if (!read || ASN1_TIME_to_tm(X509_get0_notAfter(read.get()), &end) != 1) {
    return bad_input("this is not a certificate");
  }
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &end);
  return std::string(text.data());
}

}  // namespace ontime::cli
