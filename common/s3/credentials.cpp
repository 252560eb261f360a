#include "common/s3/credentials.h"

#include <boost/property_tree/ini_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "common/base/environment.h"
#include "common/http/url.h"

namespace ontime::s3 {
namespace {

namespace tree = boost::property_tree;

using Section = tree::ptree;

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

std::string profile_of(const Environment& environment) {
  const std::string given = first_of(environment, {"AWS_PROFILE", "AWS_DEFAULT_PROFILE"});
  return given.empty() ? "default" : given;
}

// A section of a file of the AWS tools; empty if there is no such file or section. Lines that are indented, as those
// below "s3 =" are, count as the section's own.
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

Result<Section> config_of(const Environment& environment) {
  const std::string profile = profile_of(environment);
  return section_of(path_of(environment, "AWS_CONFIG_FILE", "config"),
                    profile == "default" ? profile : "profile " + profile);
}

std::string value_of(const Section& section, const char* name) { return section.get<std::string>(name, ""); }

Result<Keys> keys_of(const std::string& id, const std::string& secret, const std::string& token,
                     const std::string& where) {
  if (!id.empty() && !secret.empty()) return Keys{id, secret, token};
  return bad_input("The keys of the store are incomplete: " + where + " has a key without its secret, or the reverse.");
}

bool is_on(const std::string& value) { return value == "on" || value == "true" || value == "1"; }

}  // namespace

Environment environment_of_process() { return environment_variable; }

Result<Endpoint> find_endpoint(const Environment& environment) {
  const auto config = config_of(environment);
  if (!config) return config.error();
  Endpoint endpoint;
  endpoint.region = first_of(environment, {"AWS_REGION", "AWS_DEFAULT_REGION"});
  if (endpoint.region.empty()) endpoint.region = value_of(*config, "region");
  if (endpoint.region.empty()) endpoint.region = "us-east-1";
  std::string address = first_of(environment, {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  if (address.empty()) address = value_of(*config, "endpoint_url");
  endpoint.has_path_style = !address.empty();
  if (address.empty()) address = "https://s3." + endpoint.region + ".amazonaws.com";
  while (address.ends_with('/')) address.pop_back();
  const auto url = http::parse_url(address + "/x");
  if (!url || url->path != "/x") {
    return bad_input("The endpoint of the store, '" + address + "', is no http:// or https:// address of a server.");
  }
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
  const auto config = config_of(environment);
  if (!config) return config.error();
  const std::string path = path_of(environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials");
  const auto given = section_of(path, profile_of(environment));
  if (!given) return given.error();
  for (const Section* section : {&*given, &*config}) {
    if (section->count("aws_access_key_id") == 0) continue;
    auto keys = keys_of(value_of(*section, "aws_access_key_id"), value_of(*section, "aws_secret_access_key"),
                        value_of(*section, "aws_session_token"), "the profile '" + profile_of(environment) + "'");
    return keys ? Result<Credentials>(Credentials{*keys}) : keys.error();
  }
  if (is_on(environment("ONTIME_S3_INSTANCE_METADATA"))) return ask_instance(environment);
  return bad_input(
      "There are no keys for s3:// here; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile in "
      "~/.aws/credentials, for the master and the workers (AWS_NO_SIGN_REQUEST=true reads what is public).");
}

}  // namespace ontime::s3
