#pragma once
// The cluster of one `ontime run`: a master and workers on the loopback, with a journal in a temporary directory and a
// token of their own. This process owns the listening socket, so nobody waits for anybody at the start, and a master
// that is started again is found at the same place.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/cluster/supervisor.h"
#include "cli/command.h"
#include "common/base/descriptor.h"
#include "common/base/result.h"
#include "common/files/temporary_directory.h"
#include "common/net/endpoint.h"

namespace ontime::cli {

// What is hardly meant as it was given, a line each: an injection for workers that this cluster has none of, and more
// than four slots for each of `cores` without an injection, which is why attempts would need no core.
std::vector<std::string> doubts_about(const ClusterOptions& options, std::uint32_t tasks, std::uint32_t cores);

class EmbeddedCluster {
 public:
  // Starts master and workers side by side and returns at once; tend() starts those that wait.
  static Result<std::unique_ptr<EmbeddedCluster>> start(const ClusterOptions& options);
  ~EmbeddedCluster() { stop(); }
  EmbeddedCluster(const EmbeddedCluster&) = delete;
  EmbeddedCluster& operator=(const EmbeddedCluster&) = delete;

  const net::Endpoint& master() const { return endpoint_; }
  const std::string& token() const { return token_; }
  Status tend() { return supervisor_.tend(); }
  std::string journal() const { return directory_->path() + "/journal"; }
  // Ends all processes; the temporary directory goes with the object.
  void stop() { supervisor_.stop(); }

 private:
  EmbeddedCluster(std::unique_ptr<files::TemporaryDirectory> directory, ClusterOptions options);
  Status listen();
  Status start_master();
  Status start_worker(const std::string& name, std::uint32_t slots, Duration later);
  ChildProgram program(const std::string& file, const std::string& name, const std::string& path) const;

  std::unique_ptr<files::TemporaryDirectory> directory_;
  ClusterOptions options_;
  std::string token_;
  net::Endpoint endpoint_;
  Descriptor listener_;
  Supervisor supervisor_;
};

}  // namespace ontime::cli
