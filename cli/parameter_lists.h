#pragma once
// Lists of values on the command line, as GNU parallel has them: `::: a b ::: 1 2` are all combinations, `:::+ x y`
// goes along with the list before it, `:::: FILE` and `::::+ FILE` have the lines of files as values.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace ontime::cli {

// Stands for the lists among the inputs of a job.
inline constexpr const char* kListsInput = ":::";

// Takes the lists, from the first mark on, out of the arguments and leaves kListsInput there. Empty: there are none.
std::vector<std::string> take_lists(std::vector<std::string>& arguments);

class ParameterLists {
 public:
  // BadInput for a file that cannot be read, a value that would not stay one record, and marks that mean nothing.
  static Result<ParameterLists> read(const std::vector<std::string>& lists);

  // A tab divides them in a record.
  std::size_t columns() const { return columns_; }
  // Each combination, the values of the last list change first; until `take` refuses one.
  Status for_each(const std::function<Status(std::string_view)>& take) const;

 private:
  Status add(std::string_view mark, std::vector<std::string> values);
  Status combine(std::size_t list, const std::string& before,
                 const std::function<Status(std::string_view)>& take) const;

  std::vector<std::vector<std::string>> lists_;
  std::size_t columns_ = 0;
};

}  // namespace ontime::cli
