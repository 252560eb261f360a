#pragma once
// Keys and endpoints as the AWS tools find them: the environment, a web identity (as Kubernetes gives one to a pod), a
// profile in ~/.aws/credentials and ~/.aws/config, the container. The metadata service of an instance is asked only if
// ONTIME_S3_INSTANCE_METADATA=on, or a profile says so.

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/s3/signature.h"

namespace ontime::s3 {

// A variable of the environment; empty if it is not set.
using Environment = std::function<std::string(const char* name)>;
Environment environment_of_process();

// AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL or endpoint_url; AWS_REGION, AWS_DEFAULT_REGION or region;
// addressing_style: a bucket is part of the host at AWS and of the path elsewhere, unless it says otherwise.
Result<Endpoint> find_endpoint(const Environment& environment);
bool pays_for_requests(const Environment& environment);  // AWS_REQUEST_PAYER=requester

struct Credentials {
  std::optional<Keys> keys;  // none: requests are not signed (AWS_NO_SIGN_REQUEST=true)
  std::optional<std::chrono::system_clock::time_point> expire{};
};
// May ask a server, and wait for its answer.
Result<Credentials> find_credentials(const Environment& environment);

// Some of them, in identity_exchange.cpp: asked of servers.
Result<Credentials> exchange_web_identity(const Environment& environment, const std::string& region);
Result<Credentials> ask_container(const Environment& environment);
Result<Credentials> ask_instance(const Environment& environment);

}  // namespace ontime::s3
