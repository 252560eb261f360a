// load_campaign: what becomes of a master under more than it will ever see. See docs/load.md.
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "common/base/descriptor.h"
#include "common/flags/flags.h"
#include "tests/load/campaign.h"
#include "tests/load/failures.h"
#include "tests/support/temporary_directory.h"

namespace ontime::load {
namespace {

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
  flags::add_duration(app, "--heartbeat", options.heartbeat, "Of the workers");
  flags::add_duration(app, "--length", options.length, "Of each measurement");
  flags::add_duration(app, "--attempt-time", options.attempt_time, "Of an attempt while is measured");
  app.add_flag("!--no-sync", options.journal_sync, "A journal without fsync");
  app.add_option("--programs", options.programs, "The directory of the programs that are measured");
  app.add_option("--directory", options.directory, "For journal, outputs and logs; kept [a temporary one]");
  flags::parse_or_exit(app, argc, argv);
  spdlog::set_level(spdlog::level::err);
  raise_descriptor_limit(~std::uint64_t{0});
  test::TemporaryDirectory temporary;
  if (options.directory.empty()) options.directory = temporary.path();
  return exit_code([&] { return Campaign(options).run(); });
}

}  // namespace
}  // namespace ontime::load

int main(int argc, char** argv) { return ontime::load::main_of(argc, argv); }
