#include "worker/agent/cloud_notice.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/base/environment.h"

namespace ontime::worker {
namespace {

using Json = nlohmann::json;

// Of an object with such a member, which an answer need not be.
Json member_of(const Json& object, const char* name) {
  return object.is_object() ? object.value(name, Json()) : Json();
}

bool takes_away(const Json& event, const std::string& machine) {
  const Json kind = member_of(event, "EventType"), machines = member_of(event, "Resources");
  return (kind == "Preempt" || kind == "Terminate") && std::ranges::find(machines, Json(machine)) != machines.end();
}

}  // namespace

std::optional<Cloud> cloud_named(std::string_view text) {
  if (text == "aws") return Cloud::Aws;
  if (text == "azure") return Cloud::Azure;
  if (text == "gcp") return Cloud::Gcp;
  return std::nullopt;
}

std::string metadata_server(Cloud cloud) {
  std::string server;
  if (cloud == Cloud::Aws) server = environment_variable("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (cloud == Cloud::Gcp) server = environment_variable("GCE_METADATA_HOST");
  if (cloud == Cloud::Gcp && !server.empty()) server.insert(0, "http://");
  while (server.ends_with('/')) server.pop_back();
  return server.empty() ? "http://169.254.169.254" : server;
}

CloudNotice::CloudNotice(Cloud cloud, std::string server, Ask ask)
    : cloud_(cloud), server_(std::move(server)), ask_(std::move(ask)) {}

http::Answer<std::string> CloudNotice::get(const std::string& path, const char* name, const std::string& value) const {
  return ask_({.address = server_ + path, .fields = {{name, value}}, .tries = 1});
}

bool CloudNotice::is_given() {
  if (cloud_ == Cloud::Aws) return is_given_by_aws();
  if (cloud_ == Cloud::Azure) return is_given_by_azure();
  const auto told = get("/computeMetadata/v1/instance/preempted", "Metadata-Flavor", "Google");
  return told && told->starts_with("TRUE");
}

// A token lasts six hours at most, and its machine may be moved: another answer than "there is none" makes it
// worthless.
bool CloudNotice::is_given_by_aws() {
  constexpr int kNotFound = 404;
  if (token_.empty()) {
    auto token = ask_({.address = server_ + "/latest/api/token",
                       .method = "PUT",
                       .fields = {{"X-aws-ec2-metadata-token-ttl-seconds", "21600"}},
                       .tries = 1});
    if (!token) return false;
    token_ = std::move(*token);
  }
  const auto told = get("/latest/meta-data/spot/instance-action", "X-aws-ec2-metadata-token", token_);
  if (!told && told.error().status != kNotFound) token_.clear();
  return bool{told};
}

// Events come to all machines of a set, so each has to know what it is called.
bool CloudNotice::is_given_by_azure() {
  if (name_.empty()) {
    auto name = get("/metadata/instance/compute/name?api-version=2021-02-01&format=text", "Metadata", "true");
    if (!name) return false;
    name_ = std::move(*name);
  }
  const auto told = get("/metadata/scheduledevents?api-version=2020-07-01", "Metadata", "true");
  if (!told) return false;
  const Json events = member_of(Json::parse(*told, nullptr, false), "Events");
  return std::ranges::any_of(events, [this](const Json& event) { return takes_away(event, name_); });
}

}  // namespace ontime::worker
