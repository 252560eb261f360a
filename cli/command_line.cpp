#include "cli/command_line.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "apps/gen/generator.h"
#include "cli/arguments.h"
#include "cli/client/selector.h"
#include "cli/lab_verbs.h"
#include "cli/parameter_lists.h"
#include "cli/show/table.h"
#include "common/base/machine.h"
#include "common/base/wording.h"
#include "common/flags/flags.h"
#include "common/protocol/job_state.h"

namespace ontime::cli {

using flags::add_settings;
using flags::add_size;
using flags::add_whole;
using flags::one_of;

namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 done, 1 failed, 2 bad usage or bad input, 3 finished after its deadline, 130 interrupted.";

// What can be told of jobs without asking the master.
CLI::Validator latest_jobs() { return flags::offering({"last", "last-1", "last-2", "last-3"}); }

// Verbs of another program (lab_verbs.h): here only so that help lists them, and a misspelt one finds them.
void add_lab_verbs(CLI::App& app) {
  for (const LabVerb& verb : lab_verbs())
    app.add_subcommand(verb.name, verb.summary)->footer("ontime-lab(1) lists its flags.");
}

// The verbs that help lists together. Those of none of the others study jobs.
struct VerbGroup {
  const char* title;
  std::vector<std::string_view> verbs;
};

void group_verbs(CLI::App& app) {
  static const VerbGroup kGroups[] = {
      {"Run jobs", {"run", "submit", "kill", "apps", "policies"}},
      {"Look at jobs", {"jobs", "job", "top", "logs", "explain", "report", "trace", "web"}},
      {"Their answers", {"result", "verify", "teravalidate"}},
      {"The cluster", {"nodes", "drain", "certs"}},
      {"More", {"gen", "completion"}},
  };
  for (CLI::App* verb : app.get_subcommands([](CLI::App*) { return true; })) {
    const auto group = std::ranges::find_if(
        kGroups, [&](const VerbGroup& any) { return std::ranges::count(any.verbs, verb->get_name()) > 0; });
    verb->group(group == std::end(kGroups) ? "Study jobs" : group->title);
  }
}

class Grammar : public VerbGrammar<Command> {
 public:
  // `verb`: the first argument, if there is one.
  explicit Grammar(std::string_view verb);

 private:
  void add_job_verbs();
  void add_cluster_verbs();
  void add_logs_verb();
  void add_export_verbs();
  void add_output_verbs();
  void add_data_verbs();
  void add_web_verb();
  void add_other_verbs();

  RunCommand run_;
  SubmitCommand submit_;
  JobsCommand jobs_;
  JobCommand job_;
  TopCommand top_;
  ExplainCommand explain_;
  LogsCommand logs_;
  ExportCommand report_;
  ExportCommand trace_;
  NodesCommand nodes_;
  KillCommand kill_;
  DrainCommand drain_;
  ResultCommand result_;
  VerifyCommand verify_;
  AppsCommand apps_;
  PoliciesCommand policies_;
  GenCommand gen_;
  TeraValidateCommand teravalidate_;
  WebCommand web_;
  CertsCommand certs_;
  CompletionCommand completion_;
};

Grammar::Grammar(std::string_view verb)
    : VerbGrammar("Ontime maps files in parallel and merges the results by key, on one machine or on a cluster.",
                  "ontime") {
  app().footer(
      "Examples:\n"
      "  ontime run wordcount book.txt --output counts && ontime result counts --top 10\n"
      "  ontime apps\n\n"
      "'ontime VERB --help' tells more. ~/.config/ontime/config can hold defaults: lines such as master=HOST:PORT.\n" +
      std::string(kExitCodes));
  add_job_verbs();
  if (verb == "run" || verb == "submit") return;  // the others' options take half a millisecond
  add_cluster_verbs();
  add_logs_verb();
  add_export_verbs();
  add_output_verbs();
  add_lab_verbs(app());
  add_data_verbs();
  add_web_verb();
  add_other_verbs();
  group_verbs(app());
}

void Grammar::add_job_verbs() {
  auto& run = add_verb("run", "Run a job on a cluster of its own on this machine",
                       "  ontime run wordcount book.txt --output counts\n"
                       "  ontime run wordcount 'logs/*.gz' -o out --workers 4 --deadline 90s\n"
                       "  ontime run exec book.txt -o shouted --set command='tr a-z A-Z'\n"
                       "  ontime run exec book.txt -o lengths --set command=\"awk '{print length\\\"\\t1\\\"}'\" --set "
                       "merge=sum\n",
                       run_);
  run_.cluster.workers = machine_share().cores;
  add_job_options(run, run_.job);
  add_cluster_options(run, run_.cluster);
  run.add_flag("--tasks", run_.show_tasks, "Print the table of tasks and attempts at the end");
  run.add_flag("--explain", run_.explain, "Print every decision about stragglers, and why, at the end");
  add_text(run, "--record", run_.record, "FILE", "Write a recording, for 'ontime replay' and 'ontime plan'");
  add_text(run, "--answer", run_.answer, "FILE",
           "Write the answer here when the job has succeeded, as 'ontime result' does; - prints it instead of the "
           "summary");
  add_text(run, "--report", run_.report, "FILE",
           "Write a page about the job here when it has ended, as 'ontime report' does");
  run.add_flag("-q,--quiet", run_.quiet, "No progress and no summary, only errors");
  add_json(run, run_.json);

  auto& submit = add_verb("submit", "Submit a job to a running master",
                          "  ontime submit wordcount /data/books -o /data/counts --master 127.0.0.1:7400\n"
                          "  ontime submit wordcount /data/books -o /data/counts --deadline 2m --wait\n",
                          submit_);
  add_job_options(submit, submit_.job);
  add_master_options(submit, submit_.master);
  submit.add_flag("--wait", submit_.wait, "Wait until the job has ended, with progress");
  submit.add_flag("-q,--quiet", submit_.quiet, "No progress and no summary");
  add_json(submit, submit_.json);
}

void Grammar::add_cluster_verbs() {
  auto& jobs =
      add_verb("jobs", "List the jobs of a master", "  ontime jobs\n  ontime jobs --state running --watch\n", jobs_);
  add_whole(jobs, "--latest", jobs_.latest, {}, "Only the N newest; 0: all (default 100; with --json 0)");
  add_text(jobs, "--state", jobs_.states, "STATE", "Only jobs in this state; repeatable")
      ->check(one_of(protocol::names_of_job_states()));
  jobs.add_flag("--late", jobs_.late, "Only jobs that have missed their deadline, or have a PoCD below 0.5");
  jobs.add_flag("--watch", jobs_.watch, "Show the list again every second, until Ctrl-C");
  auto* account =
      jobs.add_flag("--account", jobs_.accounts, "Show bytes and machine time of all jobs by policy instead");
  account->excludes("--latest");
  account->excludes("--state");
  account->excludes("--late");
  add_master_options(jobs, jobs_.master);
  add_json(jobs, jobs_.json);

  auto& job = add_verb("job", "Show one job: tasks, segments, attempts, offsets, nodes",
                       "  ontime job 7\n  ontime job last --open --segments\n", job_);
  add_argument(job, "JOB", job_.job, kJobSelector)->check(latest_jobs());
  job.add_flag("--open", job_.open_tasks_only, "List only tasks that are not done");
  add_whole(job, "--tasks", job_.tasks, {}, "List so many tasks at most; 0: all")->default_str("1000");
  add_whole(job, "--first", job_.first_task, {}, "Begin with this task, counted from 0");
  job.add_flag("--follow", job_.follow, "Show the progress until the job has ended, as 'submit --wait' does");
  job.add_flag("--segments", job_.show_segments, "List every segment too");
  add_master_options(job, job_.master);
  add_json(job, job_.json);

  auto& top = add_verb("top", "Watch jobs by urgency, slots and what changes in the whole terminal; q quits",
                       "  ontime top\n  ontime top | cat     # once, as text\n", top_);
  add_master_options(top, top_.master);

  auto& explain = add_verb("explain", "Show every decision about a job's stragglers: when, why, with what result",
                           "  ontime explain 7\n  ontime explain job-7 --task 3\n", explain_);
  add_argument(explain, "JOB", explain_.job, kJobSelector)->check(latest_jobs());
  auto* task = add_whole(explain, "--task", explain_.task, {}, "Only this task, counted from 0, with every decision");
  auto* all = explain.add_flag("--all", explain_.all, "Every task, with every decision");
  task->excludes(all);
  all->excludes(task);
  add_master_options(explain, explain_.master);
  add_json(explain, explain_.json);

  auto& nodes = add_verb("nodes", "List the workers of a master", "  ontime nodes\n", nodes_);
  add_master_options(nodes, nodes_.master);
  add_json(nodes, nodes_.json);

  auto& kill =
      add_verb("kill", "End jobs and drop their output", "  ontime kill 7\n  ontime kill 4-9 nightly last\n", kill_);
  add_argument(kill, "JOB", kill_.jobs, "Jobs: ids, ranges such as 4-9, names, last, or last-1 for the one before that")
      ->check(latest_jobs());
  add_master_options(kill, kill_.master);
  add_json(kill, kill_.json);

  auto& drain = add_verb("drain", "Take a worker out of service and hand over its work",
                         "  ontime drain node-3 --wait\n  ontime drain node-3 --undo\n", drain_);
  add_argument(drain, "NODE", drain_.node, "Id or name, as `ontime nodes` shows them");
  drain.add_flag("--undo", drain_.undo, "Put the worker back into service");
  drain.add_flag("--wait", drain_.wait, "Wait until nothing runs there")->excludes("--undo");
  add_master_options(drain, drain_.master);
  add_json(drain, drain_.json);
}

void Grammar::add_logs_verb() {
  auto& logs = add_verb("logs", "Show what the attempts of a job have written to stderr, and their status lines",
                        "  ontime logs 7\n"
                        "  ontime logs 7 3/1          # attempt 1 of task 3\n"
                        "  ontime logs 7 --follow     # until the job has ended\n"
                        "  ontime logs counts         # of a finished job, by its output directory\n",
                        logs_);
  add_argument(logs, "JOB", logs_.job,
               std::string(kJobSelector) +
                   "; or the output of a finished one: a directory, s3://bucket/prefix or hdfs://host/dir")
      ->check(latest_jobs());
  logs.add_option_function<std::string>("TASK", read_attempt(logs_.attempts),
                                        "Only this task, or attempt: TASK/ATTEMPT")
      ->type_name("");
  logs.add_flag("-f,--follow", logs_.follow, "Keep printing what attempts write until the job has ended");
  add_master_options(logs, logs_.master);
  add_json(logs, logs_.json);
}

void Grammar::add_export_verbs() {
  trace_.as = ExportCommand::As::Trace;
  const auto add_options = [](CLI::App& verb, ExportCommand& command) {
    add_argument(verb, "JOB", command.job, kJobSelector)->check(latest_jobs());
    add_text(verb, "-o,--output", command.output, "FILE", "Write here instead of to stdout");
    verb.add_flag("--force", command.force, "Replace the file if there is one");
    add_master_options(verb, command.master);
  };
  add_options(add_verb("report", "Write one HTML page about a job, which needs nothing else: timeline, reasons, splits",
                       "  ontime report 7 -o job-7.html\n", report_),
              report_);
  add_options(add_verb("trace", "Write the attempts and decisions of a job as a trace, for ui.perfetto.dev and Chrome",
                       "  ontime trace 7 -o job-7.json\n", trace_),
              trace_);
}

void Grammar::add_web_verb() {
  auto& web = add_verb("web", "Serve a read-only web UI, JSON API, metrics and health checks",
                       "  ontime web\n"
                       "  ontime web --master 10.0.0.1:7400 --listen 127.0.0.1:8080\n",
                       web_);
  add_master_options(web, web_.master);
  add_text(web, "--listen", web_.listen, "HOST:PORT", "Address and port; port 0 takes a free one");
  add_text(web, "--host", web_.host_names, "NAME",
           "Another host name of this server; requests for unknown names are refused; repeatable");
  add_text(web, "--visitor-token-file", web_.visitor_token_file, "FILE", "Visitors must show the token in this file");
  add_text(web, "--https", web_.https, "DIR",
           "Serve HTTPS with the certificate in this directory of 'ontime certs'; visitors must show one of the same "
           "authority, or the token");
  add_text(web, "--port-file", web_.port_file, "FILE", "Write the port here once it listens");
  web.add_flag("--insecure-network", web_.insecure_network,
               "Listen on other addresses without encryption; only for a network that nobody else uses");
}

void Grammar::add_output_verbs() {
  auto& result = add_verb("result", "Print the answer of a finished job: its part files merged or sorted",
                          "  ontime result counts\n"
                          "  ontime result counts --top 10\n"
                          "  ontime result counts --output counts.tsv\n",
                          result_);
  add_argument(result, "DIR", result_.directory, "Output directory of the job, or its s3:// or hdfs:// address");
  add_whole(result, "--top", result_.top, {1}, "Only the N lines with the largest values, largest first");
  add_text(result, "-o,--output", result_.output, "FILE", "Write here instead of to stdout");
  result.add_flag("--force", result_.force, "Replace the file if there is one");
  result.add_flag("--run-command", result_.run_command,
                  "Run the merge command that an exec job names, even if another user wrote its output");
  add_size(result, "--memory", result_.memory_bytes, "Memory to use before going to temporary files");
  add_application_directories(result, result_.application_directories);

  auto& verify = add_verb("verify", "Verify that an output directory is complete and undamaged",
                          "  ontime verify counts\n", verify_);
  add_argument(verify, "DIR", verify_.directory, "Output directory of the job, or its s3:// or hdfs:// address");
  verify.add_flag("-q,--quiet", verify_.quiet, "No progress and no summary, only problems");
  add_json(verify, verify_.json);

  auto& apps = add_verb("apps", "List the applications and their parameters",
                        "  ontime apps\n  ontime apps --app-dir build/lib/ontime/apps --json\n", apps_);
  add_application_directories(apps, apps_.application_directories);
  add_json(apps, apps_.json);

  auto& policies = add_verb("policies", "List the policies against stragglers", "  ontime policies\n", policies_);
  add_json(policies, policies_.json);
}

void Grammar::add_data_verbs() {
  const std::string examples =
      "  ontime gen teragen 1000000 -o records\n"
      "  ontime gen text 1GB -o book.txt --seed 7\n"
      "  ontime gen ratings 5000 -o ratings.txt --set users=2000\n\n"
      "Kinds:\n" +
      apps::help_of(apps::generator_kinds());
  auto& gen = add_verb("gen", "Generate input data, identical on every machine", examples, gen_);
  add_argument(gen, "KIND", gen_.kind, "What to make, see below")
      ->check(flags::offering(names_of(apps::generator_kinds())));
  add_argument(gen, "AMOUNT", gen_.amount, "How much: a number of rows, or a size (text)");
  add_text(gen, "-o,--output", gen_.output, "FILE", "Write here instead of to stdout");
  add_whole(gen, "--seed", gen_.seed, {}, "Another seed gives other data");
  add_settings(gen, "-s,--set", gen_.settings, "A setting of the kind; repeatable");
  gen.add_flag("--force", gen_.force, "Replace the file if there is one");
  gen.add_flag("-q,--quiet", gen_.quiet, "No progress and no summary");

  auto& validate =
      add_verb("teravalidate", "Check TeraSort output for order and print its checksum",
               "  ontime teravalidate sorted\n  ontime result out | ontime teravalidate -\n", teravalidate_);
  add_argument(validate, "FILE", teravalidate_.file, "100-byte records; - for stdin");
  validate.add_flag("-q,--quiet", teravalidate_.quiet, "No progress");
  add_json(validate, teravalidate_.json);
}

void Grammar::add_other_verbs() {
  auto& certs = add_verb("certs", "Make the certificates that encrypt a cluster's connections",
                         "  ontime certs cluster --host master.example\n"
                         "  ontime certs init\n"
                         "  ontime certs node master.example --host master.example --host 10.0.0.1\n"
                         "  ontime certs client alice --role submit\n",
                         certs_);
  add_certs_verbs(certs, certs_);

  auto& completion = add_verb("completion", "Print the script that completes verbs, flags and values in a shell",
                              "  source <(ontime completion bash)\n"
                              "  ontime completion fish > ~/.config/fish/completions/ontime.fish\n",
                              completion_);
  add_argument(completion, "SHELL", completion_.shell, "bash, zsh or fish")->check(one_of({"bash", "zsh", "fish"}));
}

}  // namespace

ParsedCommandLine parse_command_line(std::vector<std::string> arguments) {
  const bool takes_job = !arguments.empty() && (arguments.front() == "run" || arguments.front() == "submit");
  std::vector<std::string> lists = takes_job ? take_lists(arguments) : std::vector<std::string>();
  ParsedCommandLine parsed = Grammar(arguments.empty() ? "" : arguments.front()).parse(arguments);
  if (auto* run = parsed.command ? std::get_if<RunCommand>(&*parsed.command) : nullptr) run->job.lists = lists;
  if (auto* submit = parsed.command ? std::get_if<SubmitCommand>(&*parsed.command) : nullptr) submit->job.lists = lists;
  auto* web = parsed.command ? std::get_if<WebCommand>(&*parsed.command) : nullptr;
  if (web != nullptr) web->arguments = std::move(arguments);
  return parsed;
}

int report_error(const std::string& verb, const Error& error) {
  std::fputs(complaint(verb.empty() ? "ontime" : "ontime " + verb, error.message).c_str(), stderr);
  return static_cast<int>(exit_code_of(error));
}

}  // namespace ontime::cli
