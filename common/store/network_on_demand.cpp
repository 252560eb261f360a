#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "common/base/program_path.h"
#include "common/base/wording.h"
#include "common/store/network.h"

namespace ontime::store {
namespace {

Error cannot_load(const std::string& path, const std::string& why) {
  return failed("Stores and web servers cannot be reached without the library " + in_quotes(path) + ": " + why +
                "; install or build all of Ontime, with this program in bin/ beside lib/");
}

Result<Network*> load() {
  const auto program = program_path();  // empty: there is no /proc
  if (program.empty()) return cannot_load("libontime_network.so", "the system does not tell where this program lies");
  const std::string path = program.parent_path().parent_path() / "lib" / "ontime" / "libontime_network.so";
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return cannot_load(path, dlerror());
  const auto* build = static_cast<const char*>(dlsym(library, "ontime_network_build"));
  void* const entry = dlsym(library, "ontime_network");
  if (build == nullptr || entry == nullptr || std::string_view(build) != ONTIME_NETWORK_BUILD)
    return cannot_load(path, "it is of another version than this program");
  return reinterpret_cast<Network* (*)()>(entry)();
}

const Result<Network*>& loaded() {
  static const Result<Network*> result = load();
  return result;
}

}  // namespace

Status load_network() { return loaded() ? Status() : loaded().error(); }

Network& network() {
  if (const auto& result = loaded()) return **result;
  std::fprintf(stderr, "%s.\n", loaded().error().message.c_str());
  std::_Exit(EXIT_FAILURE);
}

}  // namespace ontime::store
