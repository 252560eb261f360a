#include "tests/machines/etcd_server.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "common/base/units.h"
#include "common/hash/base64.h"

namespace ontime::lab::machines {
namespace {

using nlohmann::json;
using Kind = EtcdOperation::Kind;

std::string bytes(const json& object, const char* name) {
  return hash::from_base64(object.value(name, std::string())).value();
}

std::int64_t number(const json& object, const char* name) {
  return number_in<std::int64_t>(object.value(name, std::string("0"))).value();
}

EtcdOperation operation_of(const json& request) {
  EtcdOperation operation;
  const auto& [name, inner] = *request.items().begin();
  operation.kind = name == "request_range" ? Kind::Get : name == "request_put" ? Kind::Put : Kind::Erase;
  operation.key = bytes(inner, "key");
  operation.end = bytes(inner, "range_end");
  operation.value = bytes(inner, "value");
  operation.lease = number(inner, "lease");
  operation.limit = number(inner, "limit");
  return operation;
}

EtcdCompare compare_of(const json& request) {
  EtcdCompare compare{.key = bytes(request, "key"), .created = number(request, "create_revision")};
  if (request.at("target") == "VALUE") compare.value = bytes(request, "value");
  if (request.at("target") == "MOD") compare.modified = number(request, "mod_revision");
  return compare;
}

EtcdTransaction transaction_of(const json& request) {
  EtcdTransaction transaction;
  for (const json& one : request.at("compare")) transaction.compares.push_back(compare_of(one));
  for (const json& one : request.at("success")) transaction.then.push_back(operation_of(one));
  for (const json& one : request.at("failure")) transaction.otherwise.push_back(operation_of(one));
  return transaction;
}

json to_json(const EtcdEntry& entry) {
  json all{{"key", hash::to_base64(entry.key)},
           {"create_revision", std::to_string(entry.created)},
           {"mod_revision", std::to_string(entry.modified)}};
  if (!entry.value.empty()) all["value"] = hash::to_base64(entry.value);
  if (entry.lease != 0) all["lease"] = std::to_string(entry.lease);
  return all;
}

json to_json(const EtcdAnswer& answer) {
  json responses = json::array();
  for (const auto& got : answer.got) {
    json entries = json::array();
    for (const EtcdEntry& entry : got) entries.push_back(to_json(entry));
    responses.push_back({{"response_range", {{"kvs", std::move(entries)}}}});
  }
  return {{"header", {{"revision", std::to_string(answer.revision)}}},
          {"succeeded", answer.has_held},
          {"responses", std::move(responses)}};
}

// With the status of gRPC: https://grpc.github.io/grpc/core/md_doc_statuscodes.html
HttpAnswer refused(int status, int code, const std::string& why) {
  return {status, {}, json{{"error", why}, {"code", code}}.dump()};
}

HttpAnswer refused(const EtcdError& error) {
  switch (error.kind) {
    case EtcdError::Kind::NotFound:
      return refused(404, 5, error.message);
    case EtcdError::Kind::NoSpace:
      return refused(429, 8, error.message);
    default:
      return refused(400, 3, error.message);
  }
}

template <class T>
HttpAnswer answer_of(const EtcdResult<T>& result, const json& said) {
  return result ? HttpAnswer{200, {}, said.dump()} : refused(result.error());
}

}  // namespace

std::string EtcdServer::address() const { return "etcd://" + endpoint().substr(sizeof "http://" - 1) + "/ontime"; }

// As one that has lost its leader.
HttpAnswer EtcdServer::refusal(int) const { return refused(503, 14, "etcdserver: leader changed"); }

HttpAnswer EtcdServer::perform(const HttpRequest& request, bool) {
  const json asked = json::parse(request.content);
  if (request.path == "/v3/kv/txn") {
    const EtcdResult<EtcdAnswer> answer = rules.transact(transaction_of(asked), now());
    return answer_of(answer, answer ? to_json(*answer) : json());
  }
  if (request.path == "/v3/lease/grant") {
    const auto lease = rules.grant_lease(std::chrono::seconds(number(asked, "TTL")), now());
    return answer_of(lease, {{"ID", std::to_string(lease ? *lease : 0)}});
  }
  if (request.path == "/v3/lease/keepalive") {
    // A stream: that there is no such lease is an answer without the time that it has left.
    json said{{"ID", asked.at("ID")}};
    if (rules.renew_lease(number(asked, "ID"), now())) said["TTL"] = "1";
    return {200, {}, json{{"result", std::move(said)}}.dump()};
  }
  if (request.path == "/v3/lease/revoke")
    return answer_of(rules.revoke_lease(number(asked, "ID"), now()), json::object());
  if (request.path == "/v3/kv/compaction")
    return answer_of(rules.compact(number(asked, "revision"), now()), json::object());
  return refused(404, 12, "Not Found");
}

}  // namespace ontime::lab::machines
