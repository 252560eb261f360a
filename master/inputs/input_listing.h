#pragma once
// The input files of a job from what a user names: absolute paths, directories, patterns, file:// URLs,
// addresses of web servers, objects of stores. Touches the file system and the network; runs on a pool thread.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/files/roots.h"
#include "master/inputs/input_choice.h"
#include "master/inputs/input_index.h"
#include "scheduler/core/job_spec.h"

namespace ontime::master {

struct ListedInputs {
  std::vector<scheduler::InputFile> files;
  std::string left_out;  // what was left out, as one sentence for people; empty: nothing
  std::map<std::string, std::string, std::less<>> skipped{};  // which of them as InputChoice::skips() says, and why
  std::string records{};                                      // by content, if that was asked for
};

// The manifest, which only the output of a job has.
inline constexpr const char* kOutputMark = "_manifest.json";

// Why something was left out.
inline constexpr const char* kHiddenName = "its name begins with '.' or '_'";
inline constexpr const char* kNotTopLevel = "it is a directory inside a directory";
inline constexpr const char* kIsOutput = "it is the output of a job; name it to read it";
inline constexpr const char* kExcluded = "--exclude says so";

// What an earlier job has found out about a file whose headers do not tell. Any thread; empty: nothing is known.
using KnownIndex = std::function<InputIndex(const scheduler::InputFile& file)>;

// Argument by argument, as each may lie on another file system; each on any one thread.
class InputListing {
 public:
  explicit InputListing(files::Roots roots, InputChoice choice = {}, KnownIndex known_index = {});
  ~InputListing();

  Status add(const std::string& argument);
  Result<ListedInputs> finish();  // after the last argument, without touching any file

 private:
  class Files;
  const std::unique_ptr<Files> files_;
};

// The path that is looked at for an argument, without what of it is a pattern; of an address, all of it. Touches no
// file.
std::string searched_at(const std::string& argument);

// All files in the order of the arguments, sorted within each; empty ones have nothing to map and are dropped. A
// directory stands for the files below it; names in it that begin with '.' or '_' are left out. Links are followed,
// each directory and each file is read once for an argument. BadInput, with one sentence that names the argument or
// file, for anything that cannot be read in full later, for a file that two arguments name, and for files outside of
// `roots`, wherever the name was found, and whether or not there is such a file.
Result<ListedInputs> list_inputs(const std::vector<std::string>& arguments, const files::Roots& roots = {},
                                 const InputChoice& choice = {});

}  // namespace ontime::master
