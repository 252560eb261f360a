#include "cli/web/web_server.h"

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/ip/address.hpp>
#include <functional>
#include <map>
#include <semaphore>
#include <utility>

#include "cli/show/job_json.h"
#include "cli/show/job_text.h"
#include "cli/show/listing.h"
#include "cli/web/assets.h"
#include "cli/web/cluster_view.h"
#include "cli/web/visitor.h"
#include "common/net/sockets.h"

namespace ontime::cli {
namespace {

using http::Asked;
using http::Reply;

constexpr http::ServerLimits kLimits{.threads = 128,
                                     .when_full = http::WhenFull::ReplaceOldest,
                                     .head = std::chrono::seconds(10),
                                     .answer = std::chrono::seconds(10),
                                     .requests_max = 100};
constexpr std::ptrdiff_t kAskersMax = kLimits.threads / 2;
constexpr const char* kJson = "application/json";
constexpr const char* kText = "text/plain; charset=utf-8";

const http::Fields kHeaders{
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
     "form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
};

Reply say(const Asked& asked, int status, const std::string& sentence) {
  Reply reply = reply_with(asked, sentence + "\n", kText);
  reply.status = status;
  return reply;
}

struct Release {
  void operator()(std::counting_semaphore<>* taken) const { taken->release(); }
};

int status_of(const Error& error) { return error.kind == ErrorKind::BadInput ? 404 : 503; }

Parameters parameters_of(const Asked& asked) {
  return [&asked](const char* name) -> std::optional<std::string> {
    const auto found = asked.parameters.find(name);
    return found == asked.parameters.end() ? std::nullopt : std::optional(found->second);
  };
}

bool is_loopback(const std::string& host) {
  if (host == "localhost") return true;
  std::error_code error;
  const auto address = asio::ip::make_address(host, error);
  return !error && address.is_loopback();
}

}  // namespace

struct WebServer::Routes {
  Routes(const WebSettings& wanted, ClusterView& view);
  void add_questions();
  void add_questions_of_jobs();
  void add_export(const std::string& path, ExportCommand::As as, const char* type, const std::string& ending);

  Reply answer(const Asked& asked);
  // What asks the master, for a bounded number of visitors at a time: there are threads left for the others.
  template <class Ask>
  Reply question(const Asked& asked, Ask ask);
  std::optional<Reply> refusal(const Asked& asked) const;
  // Without parameters everything.
  template <class Show>
  Reply list(const Asked& asked, Listed listed, Show show) const;
  template <class Known, class Show>
  Reply of_job(const Asked& asked, const Known& known, Show show, const char* type = kJson) const;
  Reply readiness(const Asked& asked) const;

  const WebSettings& settings;
  ClusterView& cluster;
  std::map<std::string, std::function<Reply(const Asked&)>> pages{};                     // by their paths
  std::map<std::string, std::function<Reply(const Asked&)>> questions{};                 // likewise
  std::map<std::string, std::function<Reply(const Asked&, JobId)>> questions_of_jobs{};  // by what follows the job
  std::counting_semaphore<> askers{kAskersMax};
};

WebServer::Routes::Routes(const WebSettings& wanted, ClusterView& view) : settings(wanted), cluster(view) {
  const auto asset = [this](const std::string& path, const char* type, std::string_view text) {
    pages[path] = [type, text](const Asked& asked) { return reply_with(asked, std::string(text), type); };
  };
  asset("/", "text/html; charset=utf-8", assets::kPageHtml);
  for (const assets::Script& script : assets::kScripts)
    asset("/" + std::string(script.file), "text/javascript; charset=utf-8", script.text);
  asset("/page.css", "text/css; charset=utf-8", assets::kPageCss);
  pages["/healthz"] = [](const Asked& asked) { return say(asked, 200, "alive"); };
  add_questions();
  add_questions_of_jobs();
}

void WebServer::Routes::add_questions() {
  questions["/api/nodes"] = [this](const Asked& asked) {
    return list(asked, Listed::Nodes, [](const ClusterView::Picture& picture, const ListQuery* query) {
      return query == nullptr ? nodes_json(picture.nodes) : listed_nodes_json(picture.nodes, *query);
    });
  };
  questions["/api/jobs"] = [this](const Asked& asked) {
    return list(asked, Listed::Jobs, [](const ClusterView::Picture& picture, const ListQuery* query) {
      return query == nullptr ? jobs_json(picture.jobs) : listed_jobs_json(picture.jobs, *query);
    });
  };
  questions["/api/use"] = [this](const Asked& asked) {
    const auto jobs = cluster.use();
    return jobs ? reply_with(asked, use_json(*jobs), kJson) : say(asked, status_of(jobs.error()), jobs.error().message);
  };
  questions["/metrics"] = [this](const Asked& asked) {
    const auto picture = cluster.picture();
    return reply_with(asked, metrics_text(picture ? picture->get() : nullptr),
                      "text/plain; version=0.0.4; charset=utf-8");
  };
  questions["/readyz"] = [this](const Asked& asked) { return readiness(asked); };
}

void WebServer::Routes::add_questions_of_jobs() {
  questions_of_jobs[""] = [this](const Asked& asked, JobId id) {
    return of_job(asked, cluster.job(id), [](const auto& json) { return *json; });
  };
  questions_of_jobs["/tasks"] = [this](const Asked& asked, JobId id) {
    const auto query = read_task_query(parameters_of(asked));
    return query ? of_job(asked, cluster.tasks(id, *query), listed_tasks_json) : say(asked, 400, query.error().message);
  };
  questions_of_jobs["/logs"] = [this](const Asked& asked, JobId id) {
    auto logs = read_log_query(parameters_of(asked));
    if (!logs) return say(asked, 400, logs.error().message);
    logs->set_job(id.value);
    return of_job(asked, cluster.logs(*logs), logs_json);
  };
  questions_of_jobs["/logs.txt"] = [this](const Asked& asked, JobId id) {
    wire::Request::ReadLogs logs;
    logs.set_job(id.value);
    const auto text_of = [](const wire::Reply::Logs& kept) { return LogText(false).next(logs_of(kept)); };
    return of_job(asked, cluster.logs(logs), text_of, kText);
  };
  add_export("/report", ExportCommand::As::Report, "text/html; charset=utf-8", ".html");
  add_export("/trace", ExportCommand::As::Trace, kJson, ".trace.json");
}

// As a file to be kept: the page's own policy forbids the scripts that a report carries.
void WebServer::Routes::add_export(const std::string& path, ExportCommand::As as, const char* type,
                                   const std::string& ending) {
  questions_of_jobs[path] = [this, as, type, ending](const Asked& asked, JobId id) {
    const auto same = [](const std::string& text) { return text; };
    Reply reply = of_job(asked, cluster.exported(id, as), same, type);
    if (reply.status == 200)
      reply.fields.emplace("Content-Disposition", "attachment; filename=\"" + to_string(id) + ending + "\"");
    return reply;
  };
}

Reply WebServer::Routes::answer(const Asked& asked) {
  if (auto refused = refusal(asked)) return std::move(*refused);
  if (const auto page = pages.find(asked.path); page != pages.end()) return page->second(asked);
  if (const auto found = questions.find(asked.path); found != questions.end())
    return question(asked, [&] { return found->second(asked); });
  constexpr std::string_view kJobs = "/api/jobs/";
  const std::size_t end = asked.path.starts_with(kJobs) ? asked.path.find('/', kJobs.size()) : 0;
  const auto found = questions_of_jobs.find(asked.path.substr(std::min(end, asked.path.size())));
  if (found == questions_of_jobs.end()) return say(asked, 404, "There is nothing here.");
  const auto id = parse_job_id(asked.path.substr(kJobs.size(), end - kJobs.size()));
  if (!id) return say(asked, 404, "That is not the id of a job, such as 7 or job-7.");
  return question(asked, [&] { return found->second(asked, *id); });
}

template <class Ask>
Reply WebServer::Routes::question(const Asked& asked, Ask ask) {
  if (!askers.try_acquire()) return say(asked, 503, "Too many ask at once; try again in a second.");
  const std::unique_ptr<std::counting_semaphore<>, Release> asker(&askers);
  return ask();
}

std::optional<Reply> WebServer::Routes::refusal(const Asked& asked) const {
  const std::string host = asked.field("Host");
  if (asked.method != "GET" && asked.method != "HEAD") {
    Reply reply = say(asked, 405, "Nothing can be changed here.");
    reply.fields.emplace("Allow", "GET, HEAD");
    return reply;
  }
  if (!is_known_host(host, settings.host_names))
    return say(asked, 421, "This server does not go by that name; 'ontime web --host NAME' gives it another one.");
  if (!is_same_origin(asked.field("Origin"), host))
    return say(asked, 403, "Scripts of other pages may not read this one.");
  if (!settings.token.empty() && asked.path != "/healthz" && !asked.shows_certificate &&
      !shows_token(asked.field("Authorization"), settings.token)) {
    Reply reply = say(asked, 401, "A token is wanted here: as password with any user name, or as bearer.");
    reply.fields.emplace("WWW-Authenticate", "Basic realm=\"ontime\", charset=\"UTF-8\"");
    return reply;
  }
  return std::nullopt;
}

template <class Show>
Reply WebServer::Routes::list(const Asked& asked, Listed listed, Show show) const {
  const auto query = read_list_query(parameters_of(asked), listed);
  if (!query) return say(asked, 400, query.error().message);
  const auto picture = cluster.picture();
  if (!picture) return say(asked, 503, picture.error().message);
  return reply_with(asked, show(**picture, asked.parameters.empty() ? nullptr : &*query), kJson);
}

template <class Known, class Show>
Reply WebServer::Routes::of_job(const Asked& asked, const Known& known, Show show, const char* type) const {
  if (!known) return say(asked, status_of(known.error()), known.error().message);
  return reply_with(asked, show(*known), type);
}

Reply WebServer::Routes::readiness(const Asked& asked) const {
  const auto picture = cluster.picture();
  if (!picture) return say(asked, 503, picture.error().message);
  const auto& nodes = (*picture)->nodes.nodes();
  const auto live = std::count_if(nodes.begin(), nodes.end(), [](const auto& node) { return node.state() == "live"; });
  if (live == 0) return say(asked, 503, "The master has no live worker.");
  return say(asked, 200, "ready: " + std::to_string(live) + " live workers");
}

WebServer::WebServer(WebSettings settings, ClusterView& view, std::shared_ptr<ssl_ctx_st> tls)
    : settings_([&] {
        settings.host_names.push_back(settings.listen.host);
        return std::move(settings);
      }()),
      routes_(std::make_unique<Routes>(settings_, view)),
      server_(
          kLimits,
          [this](const Asked& asked) {
            Reply reply = routes_->answer(asked);
            reply.fields.insert(kHeaders.begin(), kHeaders.end());
            return reply;
          },
          std::move(tls), settings_.token.empty()) {}

WebServer::~WebServer() = default;

Result<std::unique_ptr<WebServer>> WebServer::make(WebSettings settings, ClusterView& view) {
  if (!settings.https && !settings.insecure_network && !is_loopback(settings.listen.host)) {
    return bad_input("'" + net::to_string(settings.listen) +
                     "' is not a loopback address, and what is shown there is not encrypted; 'ontime certs init' and "
                     "'ontime certs node HOST', with the name that visitors use, make a certificate, and --https DIR "
                     "uses it (or say --insecure-network if nobody else is on that network)");
  }
  std::shared_ptr<ssl_ctx_st> tls;
  if (settings.https) {
    const auto loaded = net::TlsIdentity::load(*settings.https);
    if (!loaded) return loaded.error();
    tls = {*loaded, (*loaded)->context()};
  }
  return std::unique_ptr<WebServer>(new WebServer(std::move(settings), view, std::move(tls)));
}

Result<std::uint16_t> WebServer::bind() {
  asio::io_context io;
  auto listener = net::listen(io.get_executor(), settings_.listen, net::Reach::AnyNetwork);
  if (!listener) return failed("cannot listen on " + net::to_string(settings_.listen) + "; is another program there?");
  const std::uint16_t port = listener->local_endpoint().port();
  listener_ = Descriptor(listener->release());
  return port;
}

void WebServer::run() { server_.run(std::move(listener_)); }
void WebServer::stop() { server_.stop(); }

}  // namespace ontime::cli
