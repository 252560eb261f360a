// load_campaign: what becomes of a master under more than it will ever see. See docs/load.md.
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "common/base/descriptor_limit.h"
#include "common/base/units.h"
#include "tests/load/campaign.h"
#include "tests/load/failures.h"
#include "tests/support/temporary_directory.h"

namespace ontime::load {
namespace {

void add_duration(CLI::App& app, const std::string& name, Duration& value, const std::string& text) {
  app.add_option_function<std::string>(
      name,
      [&value](const std::string& given) {
        const auto parsed = parse_duration(given);
        if (!parsed) throw CLI::ValidationError(parsed.error().message);
        value = *parsed;
      },
      text);
}

int main_of(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Puts simulated workers, jobs and clients on a real master and measures it. Exit code 1: an answer was wrong or "
      "lost.");
  app.add_option("--workers", options.workers, "Simulated workers")->capture_default_str();
  app.add_option("--slots", options.slots, "Attempts of each at once")->capture_default_str();
  app.add_option("--jobs", options.jobs, "Jobs of one task that wait")->capture_default_str();
  app.add_option("--tasks", options.tasks, "Tasks of the large job")->capture_default_str();
  app.add_option("--finished", options.finished, "How many of them are done before the master is killed")
      ->capture_default_str();
  app.add_option("--clients", options.clients, "Clients at once")->capture_default_str();
  app.add_option("--stuck", options.stuck, "Stuck peers of each of four kinds")->capture_default_str();
  add_duration(app, "--heartbeat", options.heartbeat, "Of the workers [200ms]");
  add_duration(app, "--length", options.length, "Of each measurement [20s]");
  add_duration(app, "--attempt-time", options.attempt_time, "Of an attempt while is measured [20s]");
  app.add_flag("!--no-sync", options.journal_sync, "A journal without fsync");
  app.add_option("--directory", options.directory, "For journal, outputs and logs; kept [a temporary one]");
  CLI11_PARSE(app, argc, argv);
  spdlog::set_level(spdlog::level::err);
  raise_descriptor_limit();
  test::TemporaryDirectory temporary;
  if (options.directory.empty()) options.directory = temporary.path();
  return exit_code([&] { return Campaign(options).run(); });
}

}  // namespace
}  // namespace ontime::load

int main(int argc, char** argv) { return ontime::load::main_of(argc, argv); }
