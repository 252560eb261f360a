#include "master/outputs/output.h"

#include <fmt/format.h>

#include <random>

#include "common/store/name.h"
#include "master/base/text.h"
#include "master/outputs/output_directory.h"
#include "master/outputs/store_output.h"

namespace ontime::master {

std::unique_ptr<Output> Output::at(const std::string& name, const std::string& claim, const files::Roots& roots,
                                   Lasting lasting) {
  if (store::is_name(name)) return std::make_unique<StoreOutput>(name, claim, roots, lasting);
  return std::make_unique<DirectoryOutput>(name, claim, roots, lasting);
}

std::string make_claim_id(const std::string& cluster) {
  std::random_device random;
  return fmt::format("{}-{:08x}{:08x}", cluster, random(), random());
}

bool is_claim_of(std::string_view id, const std::string& cluster) { return id.starts_with(cluster + "-"); }

Error outside_of_outputs(const std::string& name, const files::Roots& roots) {
  return bad_input("The output directory '" + readable(name) +
                   "' lies outside of the directories that this cluster writes to (" + roots.text() +
                   "); name one inside of them, or let the operator add it with --output-root.");
}

Error inside_of_output(const std::string& name, const std::string& above) {
  return bad_input("The output '" + readable(name) + "' lies in '" + readable(above) +
                   "', which is the output of a job; name one outside of it, or remove that one if it is left over.");
}

}  // namespace ontime::master
