// Keys that servers give for some hours: for the token of a web identity, and to who runs on an instance.
#include <array>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <pugixml.hpp>
#include <string>

#include "common/http/client.h"
#include "common/http/url.h"
#include "common/s3/credentials.h"

namespace ontime::s3 {
namespace {

constexpr std::size_t kKeysBytesMax = 64u << 10;

// "2026-11-24T10:20:30Z".
std::optional<std::chrono::system_clock::time_point> time_of(const std::string& text) {
  std::tm utc{};
  if (::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &utc) == nullptr) return std::nullopt;
  return std::chrono::system_clock::from_time_t(::timegm(&utc));
}

// The answer to one small request.
http::Answer<std::string> ask(const std::string& address, const std::string& method, const http::Fields& fields,
                              const std::string& form = "") {
  const auto url = http::parse_url(address);
  if (!url) return http::Failure{http::Trouble::Refused, url.error().message};
  http::Patience patience;
  patience.tries = 4;
  http::Connection connection(url->origin, nullptr, patience);
  std::string body;
  const auto once = [&](http::Client& client) -> http::Try {
    body.clear();
    http::TextSink sink(body, kKeysBytesMax);
    http::Head head;
    const auto ending =
        client.send({method, url->target, fields, http::content_of(form)}, [&](const http::Head& answered) {
          head = answered;
          return &sink;
        });
    if (ending != http::Ending::Whole) return {http::failure_of(ending, url->origin)};
    if (head.status != 200) return {http::failure_of(head)};
    return {};
  };
  if (auto asked = connection.insist(once); !asked) return std::move(asked).error();
  return body;
}

std::string form_of(const std::map<std::string, std::string>& values) {
  std::string form;
  for (const auto& [name, value] : values)
    form += (form.empty() ? "" : "&") + name + "=" + http::percent_encoded(value);
  return form;
}

std::string named_text(const pugi::xml_node& node, const char* name) { return node.child(name).text().get(); }

Result<Credentials> complete(Keys keys, const std::string& expiration, const std::string& who) {
  if (keys.id.empty() || keys.secret.empty()) return failed(who + " gives no keys for the store.");
  return Credentials{std::move(keys), time_of(expiration)};
}

std::string text_of(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

Result<Credentials> exchange_web_identity(const Environment& environment, const std::string& region) {
  const std::string path = environment("AWS_WEB_IDENTITY_TOKEN_FILE");
  std::ifstream file(path);
  const std::string token{std::istreambuf_iterator<char>(file), {}};
  if (token.empty()) return bad_input("The web identity cannot be read from '" + path + "'.");
  std::string server = environment("AWS_ENDPOINT_URL_STS");
  if (server.empty()) server = "https://sts." + region + ".amazonaws.com";
  std::string session = environment("AWS_ROLE_SESSION_NAME");
  if (session.empty()) session = "ontime";
  const auto answer = ask(server + "/?", "POST", {{"Content-Type", "application/x-www-form-urlencoded"}},
                          form_of({{"Action", "AssumeRoleWithWebIdentity"},
                                   {"Version", "2011-06-15"},
                                   {"RoleArn", environment("AWS_ROLE_ARN")},
                                   {"RoleSessionName", session},
                                   {"WebIdentityToken", token}}));
  if (!answer)
    return failed("The web identity was not exchanged for keys at " + server + ": " + answer.error().message + ".");
  pugi::xml_document document;
  document.load_buffer(answer->data(), answer->size());
  const pugi::xml_node given =
      document.child("AssumeRoleWithWebIdentityResponse").child("AssumeRoleWithWebIdentityResult").child("Credentials");
  return complete(
      {named_text(given, "AccessKeyId"), named_text(given, "SecretAccessKey"), named_text(given, "SessionToken")},
      named_text(given, "Expiration"), server);
}

Result<Credentials> ask_instance(const Environment& environment) {
  std::string server = environment("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (server.empty()) server = "http://169.254.169.254";
  while (server.ends_with('/')) server.pop_back();
  const auto refused = [&](const http::Failure& failure) {
    return failed("The instance's metadata service gives no keys for the store: " + failure.message + ".");
  };
  const auto token = ask(server + "/latest/api/token", "PUT", {{"X-aws-ec2-metadata-token-ttl-seconds", "300"}});
  if (!token) return refused(token.error());
  const http::Fields fields{{"X-aws-ec2-metadata-token", *token}};
  const std::string roles = server + "/latest/meta-data/iam/security-credentials/";
  const auto role = ask(roles, "GET", fields);
  if (!role) return refused(role.error());
  const auto answer = ask(roles + role->substr(0, role->find('\n')), "GET", fields);
  if (!answer) return refused(answer.error());
  const auto given = nlohmann::json::parse(*answer, nullptr, false);
  if (!given.is_object()) return failed("The instance's metadata service gives no keys for the store.");
  return complete({text_of(given, "AccessKeyId"), text_of(given, "SecretAccessKey"), text_of(given, "Token")},
                  text_of(given, "Expiration"), "The instance's metadata service");
}

}  // namespace ontime::s3
