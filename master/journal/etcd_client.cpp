#include "master/journal/etcd_client.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "common/base/units.h"
#include "common/base/utf8.h"
#include "common/base/wording.h"
#include "common/hash/base64.h"
#include "common/store/network.h"

namespace ontime::journal {
namespace {

using nlohmann::json;
using Kind = EtcdError::Kind;

EtcdError refused(std::string message) { return {Kind::Refused, std::move(message)}; }

json with_range(const EtcdOperation& operation) {
  json range{{"key", hash::to_base64(operation.key)}};
  if (!operation.end.empty()) range["range_end"] = hash::to_base64(operation.end);
  return range;
}

json to_json(const EtcdOperation& operation) {
  json inner = with_range(operation);
  switch (operation.kind) {
    case EtcdOperation::Kind::Get:
      inner["limit"] = std::to_string(operation.limit);
      return {{"request_range", std::move(inner)}};
    case EtcdOperation::Kind::Put:
      inner["value"] = hash::to_base64(operation.value);
      inner["lease"] = std::to_string(operation.lease);
      return {{"request_put", std::move(inner)}};
    default:
      return {{"request_delete_range", std::move(inner)}};
  }
}

json to_json(const EtcdCompare& compare) {
  json all{{"key", hash::to_base64(compare.key)}, {"result", "EQUAL"}};
  if (compare.value) {
    all["target"] = "VALUE";
    all["value"] = hash::to_base64(*compare.value);
  } else if (compare.modified) {
    all["target"] = "MOD";
    all["mod_revision"] = std::to_string(*compare.modified);
  } else {
    all["target"] = "CREATE";
    all["create_revision"] = std::to_string(compare.created);
  }
  return all;
}

template <class Parts>
json list_of(const Parts& parts) {
  json all = json::array();
  for (const auto& part : parts) all.push_back(to_json(part));
  return all;
}

// What is zero is left out.
std::int64_t number(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return 0;
  return number_in<std::int64_t>(found->get_ref<const std::string&>()).value();
}

// What is missing or another thing is "".
std::string text_in(const json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string bytes(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? std::string() : hash::from_base64(found->get_ref<const std::string&>()).value();
}

std::vector<EtcdEntry> entries_of(const json& response) {
  std::vector<EtcdEntry> entries;
  const auto range = response.find("response_range");
  if (range == response.end() || !range->contains("kvs")) return entries;
  for (const json& one : range->at("kvs"))
    entries.push_back({bytes(one, "key"), bytes(one, "value"), number(one, "create_revision"),
                       number(one, "mod_revision"), number(one, "lease")});
  return entries;
}

EtcdError error_of(const http::Failure& failure) {
  return {failure.trouble == http::Trouble::Refused ? Kind::RefusedByOne : Kind::Passing, failure.message};
}

// https://grpc.github.io/grpc/core/md_doc_statuscodes.html
EtcdError error_of(const http::Posted& posted) {
  const json answer = json::parse(posted.text, nullptr, false);
  if (!answer.is_object() || !answer.contains("code") || !answer["code"].is_number_integer())
    return error_of(*posted.failure);
  const int code = answer["code"].get<int>();
  // Releases from 3.6 on have the message alone.
  const std::string said = text_in(answer, answer.contains("message") ? "message" : "error");
  const std::string message = "etcd says \"" + words_of(said) + "\"";
  if (said.find("space exceeded") != said.npos) {
    return {Kind::NoSpace,
            "etcd has no space left (the alarm NOSPACE): compact and defragment it or raise its "
            "--quota-backend-bytes, then disarm the alarm"};
  }
  if (said.find("too large") != said.npos)
    return refused(message + "; its --max-request-bytes is less than its default");
  if (code == 5) return {Kind::NotFound, message};
  const bool may_pass = code == 1 || code == 2 || code == 4 || code == 10 || code == 13 || code == 14 ||
                        said.find("too many requests") != said.npos;
  return {may_pass ? Kind::Passing : Kind::Refused, message};
}

// Another token may do.
bool is_about_token(const EtcdError& error) {
  return error.message.find("auth token") != std::string::npos ||
         error.message.find("revision in header is old") != std::string::npos;
}

}  // namespace

EtcdClient::EtcdClient(const EtcdAccess& access, Duration silence, const std::atomic<bool>* is_over)
    : access_(access), silence_(silence), is_over_(is_over) {}
EtcdClient::~EtcdClient() = default;

void EtcdClient::turn_to_next() {
  member_poster_.reset();
  member_ = (member_ + 1) % access_.origins.size();
}

EtcdResult<std::string> EtcdClient::post(const std::string& path, const std::string& request) {
  if (!member_poster_) {
    member_poster_ = store::network().make_poster(
        {.origin = access_.origins[member_], .tls = access_.tls, .silence = silence_, .is_over = is_over_});
  }
  const auto sent_at = std::chrono::steady_clock::now();
  http::Answer<http::Posted> posted = member_poster_->post(path, request, token_);
  if (!posted) return error_of(posted.error());
  if (posted->failure) return error_of(*posted);
  sent_at_ = sent_at;
  return std::move(posted->text);
}

EtcdResult<void> EtcdClient::authenticate() {
  token_.clear();
  if (!is_utf8(access_.user) || !is_utf8(access_.password))
    return refused("its user or the password is not in UTF-8, and so none of etcd's");
  const json request{{"name", access_.user}, {"password", access_.password}};
  EtcdResult<std::string> answer = post("/v3/auth/authenticate", request.dump());
  if (!answer) {
    if (answer.error().kind != Kind::Refused) return answer.error();
    return refused("the user '" + access_.user + "' is not let in: " + answer.error().message);
  }
  token_ = text_in(json::parse(*answer, nullptr, false), "token");
  return token_.empty() ? EtcdResult<void>(refused("etcd gives no token to the user '" + access_.user + "'"))
                        : EtcdResult<void>();
}

EtcdResult<std::string> EtcdClient::ask_member(const std::string& path, const std::string& request) {
  for (int round = 0;; ++round) {
    if (!access_.user.empty() && token_.empty()) {
      if (const EtcdResult<void> let_in = authenticate(); !let_in) return let_in.error();
    }
    EtcdResult<std::string> answer = post(path, request);
    if (answer || !is_about_token(answer.error()) || access_.user.empty() || round == 1) return answer;
    token_.clear();  // tokens end when they are not used, and when a member starts again
  }
}

// One member alone may be set up wrongly.
EtcdResult<std::string> EtcdClient::ask_members(const std::string& path, const std::string& request) {
  std::optional<EtcdError> passing;
  for (std::size_t asked = 1;; ++asked) {
    EtcdResult<std::string> answer = ask_member(path, request);
    if (answer) return answer;
    const EtcdError& error = answer.error();
    if (error.kind != Kind::Passing && error.kind != Kind::RefusedByOne) return answer;
    turn_to_next();
    if (error.kind == Kind::Passing) passing = error;
    if (asked < access_.origins.size() && !is_over_->load()) continue;
    return passing ? *passing : refused(error.message);
  }
}

template <class Read>
auto EtcdClient::ask(const char* path, const std::string& request, const Read& read) -> EtcdResult<decltype(read(""))> {
  const EtcdResult<std::string> answer = ask_members(path, request);
  if (!answer) return answer.error();
  try {
    return read(*answer);
  } catch (const std::exception&) {
    return refused("the server at " + access_.origins[member_] + " does not answer as etcd does");
  }
}

EtcdResult<EtcdAnswer> EtcdClient::transact(const EtcdTransaction& transaction) {
  const json request{{"compare", list_of(transaction.compares)},
                     {"success", list_of(transaction.then)},
                     {"failure", list_of(transaction.otherwise)}};
  return ask("/v3/kv/txn", request.dump(), [](const std::string& text) {
    const json parsed = json::parse(text);
    EtcdAnswer answer;
    answer.has_held = parsed.value("succeeded", false);
    answer.revision = number(parsed.at("header"), "revision");
    if (parsed.contains("responses"))
      for (const json& one : parsed.at("responses")) answer.got.push_back(entries_of(one));
    return answer;
  });
}

EtcdResult<std::int64_t> EtcdClient::grant_lease(Duration length) {
  const json request{{"TTL", std::to_string(std::chrono::ceil<std::chrono::seconds>(length).count())}};
  return ask("/v3/lease/grant", request.dump(), [](const std::string& text) {
    const std::int64_t lease = number(json::parse(text), "ID");
    if (lease == 0) throw std::runtime_error("no lease");
    return lease;
  });
}

EtcdResult<void> EtcdClient::renew_lease(std::int64_t lease) {
  const json request{{"ID", std::to_string(lease)}};
  const EtcdResult<std::string> answer = ask_members("/v3/lease/keepalive", request.dump());
  if (!answer) return answer.error();
  // It is a stream, whose errors come as an answer.
  const json parsed = json::parse(*answer, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("result")) {
    turn_to_next();
    return EtcdError{Kind::Passing, "etcd does not renew the lease: " + words_of(*answer)};
  }
  const bool is_live = parsed["result"].is_object() && parsed["result"].contains("TTL");
  return is_live ? EtcdResult<void>() : EtcdResult<void>(EtcdError{Kind::NotFound, "etcd has ended the lease"});
}

EtcdResult<void> EtcdClient::revoke_lease(std::int64_t lease) {
  const EtcdResult<std::string> answer = ask_members("/v3/lease/revoke", json{{"ID", std::to_string(lease)}}.dump());
  return answer ? EtcdResult<void>() : EtcdResult<void>(answer.error());
}

EtcdResult<void> EtcdClient::compact(std::int64_t revision) {
  const json request{{"revision", std::to_string(revision)}};
  const EtcdResult<std::string> answer = ask_members("/v3/kv/compaction", request.dump());
  return answer ? EtcdResult<void>() : EtcdResult<void>(answer.error());
}

}  // namespace ontime::journal
