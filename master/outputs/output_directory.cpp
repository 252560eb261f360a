#include "master/outputs/output_directory.h"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "common/base/ids.h"
#include "common/base/kill_point.h"
#include "common/files/disk.h"
#include "common/files/roots.h"
#include "common/files/sync.h"
#include "common/output/attempt_log.h"
#include "common/output/manifest.h"
#include "master/mounts/file_system.h"

namespace ontime::master {
namespace {

namespace fs = std::filesystem;

Error refused(const std::string& directory, const std::string& why) {
  return bad_input("The output directory '" + directory + "' " + why + ".");
}

Error in_use(const std::string& directory) {
  return refused(directory, "is being used by another job; name another one, or empty it if there is no such job");
}

Error not_empty(const std::string& directory) {
  return refused(directory, "is not empty; name one that does not exist yet, or empty it");
}

Status make_claim(const OutputPlace& place, const std::string& directory, const std::string& id, Lasting lasting) {
  Status status = put_claim(place, id, lasting);
  if (status && lasting == Lasting::SinceSeal) status = sync_with_parents(place);
  if (status && !place.is_in_place()) status = refused(directory, "was moved while it was made; submit the job again");
  // If two claims are made at once, one inside the other, both exist before either looks around, so one gives up.
  if (const std::string above = place.output_above(); status && !above.empty())
    status = inside_of_output(directory, above);
  const auto others = look_at(place);
  if (status && others && others->has_others) status = not_empty(directory);
  if (status) return {};
  static_cast<void>(remove_claim(place, id));
  place.take_back();
  const auto contents = look_at(place);  // somebody else may have been quicker
  return contents && contents->is_claimed ? Status(in_use(directory)) : status;
}

bool has_success(const OutputPlace& place) {
  struct stat ignored {};
  return ::fstatat(place.descriptor(), output::kSuccessName, &ignored, AT_SYMLINK_NOFOLLOW) == 0;
}

void remove_parts(const OutputPlace& place, std::uint32_t parts, const std::string& ending) {
  const auto remove = [&](const std::string& name) { files::remove({place.descriptor(), name}); };
  for (std::uint32_t task = 0; task < parts; ++task) {
    note_progress();
    remove(part_file_name(task, ending));
  }
  remove(output::kManifestName);
  remove(output::kNewManifestName);
  remove(output::kLogsName);
  remove(output::kNewLogsName);
}

Status discard_in(const OutputPlace& place, std::uint32_t parts, const std::string& parts_ending,
                  const std::string& id) {
  const bool is_uncommitted = output::is_manifest_of(place.descriptor(), id) && !has_success(place);
  if (!open_claim(place, id).is_open() && !has_unfinished_claim(place, id) && !is_uncommitted) {
    files::remove_directory({place.descriptor(), output::kAttemptsName});  // empty: a power cut can bring it back
    return {};
  }
  pass_kill_point("discard-before-parts");
  if (!has_success(place)) remove_parts(place, parts, parts_ending);
  if (Status status = sync_directory(place.path()); !status) return status;  // the claim goes last, in a power cut too
  pass_kill_point("discard-parts-removed");
  if (Status status = remove_claim(place, id); !status) return status;
  pass_kill_point("discard-attempts-removed");
  // Only if it is empty; anything left is not ours.
  if (const auto real = files::place_of(place.descriptor())) files::remove_directory(*real);
  pass_kill_point("discard-done");
  return {};
}

}  // namespace

ClaimOutcome DirectoryOutput::claim() {
  const Result<OutputPlace> place = OutputPlace::make(name_, roots_);
  if (!place) return {place.error(), {}};
  const Result<Contents> contents = look_at(*place);
  if (!contents) return {place->in_words(contents.error()), {}};
  if (contents->is_claimed && !contents->is_free) return {in_use(name_), contents->idle_claim};
  if (contents->is_free) return {place->in_words(make_claim(*place, name_, claim_, lasting_)), {}};
  return {not_empty(name_), {}};
}

Status DirectoryOutput::discard(std::uint32_t parts, const std::string& parts_ending) {
  const Result<OutputPlace> place = OutputPlace::find(name_, roots_);
  if (place) return place->in_words(discard_in(*place, parts, parts_ending, claim_));
  std::error_code error;
  if (!fs::exists(name_, error)) return {};
  return place.error();
}

}  // namespace ontime::master
