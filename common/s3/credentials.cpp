#include "common/s3/credentials.h"

#include <algorithm>
#include <boost/property_tree/ini_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <cctype>
#include <fstream>
#include <string_view>

#include "common/base/environment.h"
#include "common/http/url.h"
#include "common/s3/profile.h"

namespace ontime::s3 {
namespace {

namespace tree = boost::property_tree;

std::string first_of(const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (std::string value = environment(name); !value.empty()) return value;
  }
  return "";
}

std::string path_of(const Environment& environment, const char* variable, const char* name) {
  if (std::string given = environment(variable); !given.empty()) return given;
  const std::string home = environment("HOME");
  return home.empty() ? "" : home + "/.aws/" + name;
}

std::string profile_name(const Environment& environment) {
  const std::string given = first_of(environment, {"AWS_PROFILE", "AWS_DEFAULT_PROFILE"});
  return given.empty() ? "default" : given;
}

bool is_on(std::string value) {
  std::transform(value.begin(), value.end(), value.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return value == "on" || value == "true" || value == "1" || value == "yes";
}

}  // namespace

std::string config_path(const Environment& environment) { return path_of(environment, "AWS_CONFIG_FILE", "config"); }

// Lines that are indented, as those below "s3 =" are, count as the section's own.
Result<Section> section_of(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  if (path.empty() || !file) return Section();
  Section all;
  try {
    tree::read_ini(file, all);
  } catch (const tree::ini_parser_error& error) {
    return bad_input("'" + path + "' cannot be read: " + error.message() + " in line " + std::to_string(error.line()) +
                     ".");
  }
  const auto found = all.find(name);
  return found == all.not_found() ? Section() : found->second;
}

std::string value_of(const Section& section, const char* name) { return section.get<std::string>(name, ""); }

Result<Profile> profile_of(const Environment& environment, const std::string& name) {
  auto credentials = section_of(path_of(environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials"), name);
  if (!credentials) return credentials.error();
  auto config = section_of(config_path(environment), name == "default" ? name : "profile " + name);
  if (!config) return config.error();
  return Profile{name, *credentials, *config};
}

Result<Keys> keys_of(const std::string& id, const std::string& secret, const std::string& token,
                     const std::string& where) {
  if (!id.empty() && !secret.empty()) return Keys{id, secret, token};
  return bad_input("The keys of the store are incomplete: " + where + " has a key without its secret, or the reverse.");
}

Environment environment_of_process() { return environment_variable; }

bool pays_for_requests(const Environment& environment) { return environment("AWS_REQUEST_PAYER") == "requester"; }

Result<Endpoint> find_endpoint(const Environment& environment) {
  const auto profile = profile_of(environment, profile_name(environment));
  if (!profile) return profile.error();
  const Section* const config = &profile->config;
  Endpoint endpoint;
  endpoint.region = first_of(environment, {"AWS_REGION", "AWS_DEFAULT_REGION"});
  if (endpoint.region.empty()) endpoint.region = value_of(*config, "region");
  if (endpoint.region.empty()) endpoint.region = "us-east-1";
  std::string address = first_of(environment, {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  if (address.empty()) address = value_of(*config, "endpoint_url");
  endpoint.has_path_style = !address.empty();
  endpoint.is_amazon = address.empty();
  if (address.empty()) address = "https://s3." + endpoint.region + ".amazonaws.com";
  while (address.ends_with('/')) address.pop_back();
  const auto url = http::parse_url(address + "/x");
  if (!url || url->path != url->target) {
    return bad_input("The endpoint of the store, '" + address + "', is no http:// or https:// address of a server.");
  }
  endpoint.path = url->path.substr(0, url->path.size() - 2);
  const std::size_t slashes = url->origin.find("://");
  endpoint.scheme = url->origin.substr(0, slashes);
  endpoint.host = url->origin.substr(slashes + 3);
  // What is signed has to be what is sent, and the usual port is not sent.
  const std::string usual_port = endpoint.scheme == "https" ? ":443" : ":80";
  if (endpoint.host.ends_with(usual_port)) endpoint.host.resize(endpoint.host.size() - usual_port.size());
  const std::string style = value_of(*config, "addressing_style");
  if (style == "path") endpoint.has_path_style = true;
  if (style == "virtual") endpoint.has_path_style = false;
  return endpoint;
}

Result<Credentials> find_credentials(const Environment& environment) {
  if (is_on(environment("AWS_NO_SIGN_REQUEST"))) return Credentials{};
  const std::string id = environment("AWS_ACCESS_KEY_ID");
  const std::string secret = environment("AWS_SECRET_ACCESS_KEY");
  if (!id.empty() || !secret.empty()) {
    auto keys = keys_of(id, secret, environment("AWS_SESSION_TOKEN"), "the environment");
    return keys ? Result<Credentials>(Credentials{*keys}) : keys.error();
  }
  if (!environment("AWS_WEB_IDENTITY_TOKEN_FILE").empty()) {
    const auto endpoint = find_endpoint(environment);
    return endpoint ? exchange_web_identity(environment, endpoint->region) : endpoint.error();
  }
  auto of_profile = keys_of_profile(environment, profile_name(environment));
  if (of_profile || !of_profile.error().message.empty()) return of_profile;
  if (!environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI").empty() ||
      !environment("AWS_CONTAINER_CREDENTIALS_FULL_URI").empty())
    return ask_container(environment);
  if (is_on(environment("ONTIME_S3_INSTANCE_METADATA"))) return ask_instance(environment);
  return bad_input(
      "There are no keys for s3:// here; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile in "
      "~/.aws/credentials or ~/.aws/config, for the master and the workers (AWS_NO_SIGN_REQUEST=true reads what is "
      "public).");
}

}  // namespace ontime::s3
