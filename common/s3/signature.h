#pragma once
// Signature Version 4 of AWS in the query of an address: a client that has the address may make this one request for
// some minutes, and cannot learn the key from it. Pure.

#include <chrono>
#include <map>
#include <string>

#include "common/http/url.h"
#include "common/s3/name.h"

namespace ontime::s3 {

struct Keys {
  std::string id;
  std::string secret;
  std::string session_token;  // of keys that are good for some hours; empty: none
};

// Where buckets are.
struct Endpoint {
  std::string scheme = "https";
  std::string host;  // with its port, if it is not the scheme's
  std::string region;
  bool has_path_style = true;  // https://host/bucket/key, not https://bucket.host/key
  std::string path{};          // before all of them: "/storage/v1/s3"; empty: nothing
  bool is_amazon = false;      // by its host, each region has one of its own
  std::string service = "s3";
};

struct Request {
  std::string method = "GET";
  Name name;                                     // without a root: no bucket
  std::map<std::string, std::string> query{};    // not encoded
  std::map<std::string, std::string> headers{};  // that must be signed and sent: those named x-amz-..., in lower case
};

http::Url sign(const Endpoint& endpoint, const Keys& keys, const Request& request,
               std::chrono::system_clock::time_point now, std::chrono::seconds lifetime);
// The same address for anybody: what a bucket that is public answers.
http::Url address_of(const Endpoint& endpoint, const Request& request);

}  // namespace ontime::s3
