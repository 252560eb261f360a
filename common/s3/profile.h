#pragma once
// Profiles in the files of the AWS tools, and what the ways to keys share.

#include <array>
#include <boost/property_tree/ptree.hpp>
#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/s3/credentials.h"

namespace ontime::s3 {

using Section = boost::property_tree::ptree;

struct Profile {
  std::string name;
  Section credentials;  // of the file of that name; likewise below
  Section config;
};
std::string config_path(const Environment& environment);
// Empty if there is no such file or section.
Result<Section> section_of(const std::string& path, const std::string& name);
std::string value_of(const Section& section, const char* name);
Result<Profile> profile_of(const Environment& environment, const std::string& name);
Result<Keys> keys_of(const std::string& id, const std::string& secret, const std::string& token,
                     const std::string& where);

// BadInput without a message if the profile has none.
Result<Credentials> keys_of_profile(const Environment& environment, const std::string& name);

std::optional<std::chrono::system_clock::time_point> time_of(const std::string& text);
std::string text_in(const nlohmann::json& object, const char* name);
// `names`: of the id, the secret, the token and the end, a text or milliseconds.
Result<Credentials> keys_in_json(const std::string& text, const std::array<const char*, 4>& names,
                                 const std::string& who);

struct Role {
  std::string arn;
  std::string session;
  std::string external_id;
};
Result<Credentials> assume_role(const Environment& environment, const Keys& keys, const Role& role,
                                const std::string& region);

}  // namespace ontime::s3
