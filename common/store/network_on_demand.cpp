#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "common/base/program_path.h"
#include "common/base/wording.h"
#include "common/store/network.h"

namespace ontime::store {
namespace {

Network& load() {
  const auto path = program_path().parent_path().parent_path() / "lib" / "ontime" / "libontime_network.so";
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const entry = library == nullptr ? nullptr : dlsym(library, "ontime_network");
  if (entry != nullptr) return *reinterpret_cast<Network* (*)()>(entry)();
  std::fprintf(stderr, "Stores and web servers cannot be reached without the library %s: %s; install Ontime whole.\n",
               in_quotes(path.string()).c_str(), dlerror());
  std::_Exit(EXIT_FAILURE);
}

}  // namespace

Network& network() {
  static Network& loaded = load();
  return loaded;
}

}  // namespace ontime::store
