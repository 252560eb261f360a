// Keys that servers give for some hours: for the token of a web identity, for a role, and to who runs on an instance or
// in a container.
#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <pugixml.hpp>
#include <string>

#include "common/http/ask.h"
#include "common/http/url.h"
#include "common/s3/profile.h"

namespace ontime::s3 {
namespace {}  // namespace

// "2026-11-24T10:20:30Z".
std::optional<std::chrono::system_clock::time_point> time_of(const std::string& text) {
  std::tm utc{};
  if (::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &utc) == nullptr) return std::nullopt;
  return std::chrono::system_clock::from_time_t(::timegm(&utc));
}

namespace {

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

std::string sts_server(const Environment& environment, const std::string& region) {
  const std::string given = environment("AWS_ENDPOINT_URL_STS");
  return given.empty() ? "https://sts." + region + ".amazonaws.com" : given;
}

// What the action "X" is answered: <XResponse><XResult><Credentials>.
Result<Credentials> keys_in_xml(const std::string& answer, const std::string& action, const std::string& who) {
  pugi::xml_document document;
  document.load_buffer(answer.data(), answer.size());
  const pugi::xml_node given =
      document.child((action + "Response").c_str()).child((action + "Result").c_str()).child("Credentials");
  return complete(
      {named_text(given, "AccessKeyId"), named_text(given, "SecretAccessKey"), named_text(given, "SessionToken")},
      named_text(given, "Expiration"), who);
}

// Such keys are for who is on the machine itself, so no other one is asked without TLS.
bool may_be_asked(const std::string& address) {
  constexpr std::array kHosts{"127.0.0.1", "localhost", "::1", "169.254.170.2", "169.254.170.23", "fd00:ec2::23"};
  const auto url = http::parse_url(address);
  const auto is_host = [&](const char* host) { return http::server_of(url->origin).host == host; };
  return url && (address.starts_with("https://") || std::any_of(kHosts.begin(), kHosts.end(), is_host));
}

}  // namespace

std::string text_in(const nlohmann::json& object, const char* name) {
  if (!object.is_object()) return "";
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Result<Credentials> keys_in_json(const std::string& text, const std::array<const char*, 4>& names,
                                 const std::string& who) {
  const auto given = nlohmann::json::parse(text, nullptr, false);
  auto found = complete({text_in(given, names[0]), text_in(given, names[1]), text_in(given, names[2])},
                        text_in(given, names[3]), who);
  if (found && given.contains(names[3]) && given[names[3]].is_number_integer())
    found->expire =
        std::chrono::system_clock::time_point(std::chrono::milliseconds(given[names[3]].get<std::int64_t>()));
  return found;
}

Result<Credentials> exchange_web_identity(const Environment& environment, const std::string& region) {
  const std::string path = environment("AWS_WEB_IDENTITY_TOKEN_FILE");
  std::ifstream file(path);
  const std::string token{std::istreambuf_iterator<char>(file), {}};
  if (token.empty()) return bad_input("The web identity cannot be read from '" + path + "'.");
  const std::string server = sts_server(environment, region);
  std::string session = environment("AWS_ROLE_SESSION_NAME");
  if (session.empty()) session = "ontime";
  const auto answer = http::ask({.address = server + "/?",
                                 .method = "POST",
                                 .fields = {{"Content-Type", "application/x-www-form-urlencoded"}},
                                 .form = form_of({{"Action", "AssumeRoleWithWebIdentity"},
                                                  {"Version", "2011-06-15"},
                                                  {"RoleArn", environment("AWS_ROLE_ARN")},
                                                  {"RoleSessionName", session},
                                                  {"WebIdentityToken", token}})});
  if (!answer)
    return failed("The web identity was not exchanged for keys at " + server + ": " + answer.error().message + ".");
  return keys_in_xml(*answer, "AssumeRoleWithWebIdentity", server);
}

Result<Credentials> assume_role(const Environment& environment, const Keys& keys, const Role& role,
                                const std::string& region) {
  const std::string server = sts_server(environment, region);
  const auto origin = http::parse_url(server + "/x");
  if (!origin) return origin.error();
  Endpoint endpoint;
  endpoint.scheme = server.substr(0, server.find("://"));
  endpoint.host = server.substr(server.find("://") + 3);
  endpoint.region = region;
  endpoint.service = "sts";
  Request request{"GET", {}};
  request.query = {{"Action", "AssumeRole"},
                   {"Version", "2011-06-15"},
                   {"RoleArn", role.arn},
                   {"RoleSessionName", role.session.empty() ? "ontime" : role.session}};
  if (!role.external_id.empty()) request.query["ExternalId"] = role.external_id;
  const http::Url url = sign(endpoint, keys, request, std::chrono::system_clock::now(), std::chrono::minutes(1));
  const auto answer = http::ask({url.origin + url.target});
  if (!answer)
    return failed("The role '" + role.arn + "' was not given at " + server + ": " + answer.error().message + ".");
  return keys_in_xml(*answer, "AssumeRole", server);
}

// As ECS and EKS Pod Identity give them.
Result<Credentials> ask_container(const Environment& environment) {
  const std::string relative = environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const std::string address =
      relative.empty() ? environment("AWS_CONTAINER_CREDENTIALS_FULL_URI") : "http://169.254.170.2" + relative;
  if (!may_be_asked(address))
    return bad_input("AWS_CONTAINER_CREDENTIALS_FULL_URI, '" + address +
                     "', is neither an https:// address nor one of this machine.");
  std::string token = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  if (const std::string path = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); !path.empty()) {
    std::ifstream file(path);
    token.assign(std::istreambuf_iterator<char>(file), {});
    while (token.ends_with('\n') || token.ends_with('\r')) token.pop_back();
    if (token.empty()) return bad_input("The token of the container cannot be read from '" + path + "'.");
  }
  std::map<std::string, std::string> fields;
  if (!token.empty()) fields.emplace("Authorization", token);
  const auto answer = http::ask({.address = address, .fields = fields});
  if (!answer) return failed("The container gives no keys for the store: " + answer.error().message + ".");
  return keys_in_json(*answer, {"AccessKeyId", "SecretAccessKey", "Token", "Expiration"}, "The container");
}

Result<Credentials> ask_instance(const Environment& environment) {
  std::string server = environment("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (server.empty()) server = "http://169.254.169.254";
  while (server.ends_with('/')) server.pop_back();
  const auto refused = [&](const http::Failure& failure) {
    return failed("The instance's metadata service gives no keys for the store: " + failure.message + ".");
  };
  const auto token = http::ask({.address = server + "/latest/api/token",
                                .method = "PUT",
                                .fields = {{"X-aws-ec2-metadata-token-ttl-seconds", "300"}}});
  if (!token) return refused(token.error());
  const std::map<std::string, std::string> fields{{"X-aws-ec2-metadata-token", *token}};
  const std::string roles = server + "/latest/meta-data/iam/security-credentials/";
  const auto role = http::ask({.address = roles, .fields = fields});
  if (!role) return refused(role.error());
  const auto answer = http::ask({.address = roles + role->substr(0, role->find('\n')), .fields = fields});
  if (!answer) return refused(answer.error());
  return keys_in_json(*answer, {"AccessKeyId", "SecretAccessKey", "Token", "Expiration"},
                      "The instance's metadata service");
}

}  // namespace ontime::s3
