// The keys of a profile of the AWS tools, whichever way it has them: a role that other keys may take, single sign-on,
// its own, or those that a program prints.
#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "common/base/wording.h"
#include "common/hash/sha256.h"
#include "common/http/ask.h"
#include "common/http/url.h"
#include "common/s3/profile.h"

namespace ontime::s3 {
namespace {

constexpr std::size_t kPrintedBytesMax = 64u << 10;

std::optional<Credentials> static_keys(const Profile& profile, std::optional<Error>& wrong) {
  for (const Section* section : {&profile.credentials, &profile.config}) {
    if (section->count("aws_access_key_id") == 0) continue;
    auto keys = keys_of(value_of(*section, "aws_access_key_id"), value_of(*section, "aws_secret_access_key"),
                        value_of(*section, "aws_session_token"), "the profile '" + profile.name + "'");
    if (keys) return Credentials{*keys};
    wrong = keys.error();
  }
  return std::nullopt;
}

// The program is the operator's own word, as it is for the AWS tools.
Result<Credentials> keys_from_process(const std::string& command, const Profile& profile) {
  const std::string who = "credential_process of the profile '" + profile.name + "'";
  std::string printed;
  {
    const auto end = [](std::FILE* program) { ::pclose(program); };
    std::unique_ptr<std::FILE, decltype(end)> program(::popen(command.c_str(), "re"), end);
    std::array<char, 4096> piece;
    for (std::size_t got = 1; program && got > 0 && printed.size() <= kPrintedBytesMax;) {
      got = std::fread(piece.data(), 1, piece.size(), program.get());
      printed.append(piece.data(), got);
    }
    // Who reaps all children of this process may have been first.
    const bool has_ended_well = program && (::pclose(program.release()) == 0 || errno == ECHILD);
    if (!has_ended_well) return failed("The " + who + " failed.");
  }
  return keys_in_json(printed, {"AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"}, "The " + who);
}

// The name of a file of ~/.aws/sso/cache.
std::string cache_name_of(const std::string& text) { return hex_digits(hash::sha1(text)) + ".json"; }

Result<Credentials> keys_of_sign_on(const Environment& environment, const Profile& profile) {
  const std::string session = value_of(profile.config, "sso_session");
  Section settings = profile.config;
  if (!session.empty()) {
    const auto named = section_of(config_path(environment), "sso-session " + session);
    if (!named) return named.error();
    settings = *named;
  }
  const std::string cache = environment("HOME") + "/.aws/sso/cache/" +
                            cache_name_of(session.empty() ? value_of(settings, "sso_start_url") : session);
  std::ifstream file(cache);
  const auto kept = nlohmann::json::parse(std::string{std::istreambuf_iterator<char>(file), {}}, nullptr, false);
  const std::string token = text_in(kept, "accessToken");
  const auto until = time_of(text_in(kept, "expiresAt"));
  if (token.empty() || (until && *until < std::chrono::system_clock::now()))
    return bad_input("The single sign-on of the profile '" + profile.name + "' has expired or was never done (" +
                     cache + "); run `aws sso login`.");
  std::string server = environment("AWS_ENDPOINT_URL_SSO");
  if (server.empty()) server = "https://portal.sso." + value_of(settings, "sso_region") + ".amazonaws.com";
  const auto answer =
      http::ask({.address = server + "/federation/credentials?account_id=" +
                            http::percent_encoded(value_of(profile.config, "sso_account_id")) +
                            "&role_name=" + http::percent_encoded(value_of(profile.config, "sso_role_name")),
                 .fields = {{"x-amz-sso_bearer_token", token}}});
  if (!answer)
    return failed("The single sign-on of the profile '" + profile.name + "' gives no keys: " + answer.error().message +
                  ".");
  const auto given = nlohmann::json::parse(*answer, nullptr, false);
  const auto found = given.is_object() ? given.find("roleCredentials") : given.end();
  return keys_in_json(found == given.end() ? "" : found->dump(),
                      {"accessKeyId", "secretAccessKey", "sessionToken", "expiration"}, server);
}

// Who takes a role has the keys of another profile, or others.
class Chain {
 public:
  explicit Chain(const Environment& environment) : environment_(environment) {}

  Result<Credentials> keys(const std::string& name) {
    auto profile = profile_of(environment_, name);
    if (!profile) return profile.error();
    const bool is_new = seen_.insert(name).second;
    std::optional<Error> wrong;
    const std::string role = value_of(profile->config, "role_arn");
    if (!role.empty() && is_new) return keys_of_role(*profile, role);
    if (!value_of(profile->config, "sso_account_id").empty()) return keys_of_sign_on(environment_, *profile);
    if (auto own = static_keys(*profile, wrong)) return *own;
    if (wrong) return *wrong;
    for (const Section* section : {&profile->credentials, &profile->config}) {
      const std::string command = value_of(*section, "credential_process");
      if (!command.empty()) return keys_from_process(command, *profile);
    }
    return bad_input(is_new ? "" : "The profile '" + name + "' takes a role with its own keys, and has none.");
  }

 private:
  Result<Credentials> keys_of_role(const Profile& profile, const std::string& role) {
    const auto region = find_endpoint(environment_);
    if (!region) return region.error();
    const std::string token_file = value_of(profile.config, "web_identity_token_file");
    if (!token_file.empty()) {
      return exchange_web_identity(
          [&](const char* name) {
            const std::string_view asked = name;
            if (asked == "AWS_ROLE_ARN") return role;
            return asked == "AWS_WEB_IDENTITY_TOKEN_FILE" ? token_file : environment_(name);
          },
          region->region);
    }
    const auto source = source_of(profile);
    if (!source) {
      return source.error().message.empty()
                 ? bad_input("The profile '" + profile.name + "' takes a role, and its source has no keys.")
                 : source.error();
    }
    if (!source->keys) return *source;
    const Role asked{role, value_of(profile.config, "role_session_name"), value_of(profile.config, "external_id")};
    return assume_role(environment_, *source->keys, asked, region->region);
  }

  Result<Credentials> source_of(const Profile& profile) {
    const std::string source = value_of(profile.config, "source_profile");
    if (!source.empty()) return keys(source);
    const std::string kind = value_of(profile.config, "credential_source");
    if (kind == "EcsContainer") return ask_container(environment_);
    if (kind == "Ec2InstanceMetadata") return ask_instance(environment_);
    if (kind == "Environment") {
      auto given = keys_of(environment_("AWS_ACCESS_KEY_ID"), environment_("AWS_SECRET_ACCESS_KEY"),
                           environment_("AWS_SESSION_TOKEN"), "the environment");
      return given ? Result<Credentials>(Credentials{*given}) : given.error();
    }
    return bad_input("The profile '" + profile.name + "' takes a role, and names no source_profile for it.");
  }

  const Environment& environment_;
  std::set<std::string> seen_;
};

}  // namespace

Result<Credentials> keys_of_profile(const Environment& environment, const std::string& name) {
  return Chain(environment).keys(name);
}

}  // namespace ontime::s3
