#pragma once
// The common form of an input: one field or none makes the group, and the numbers of a column have as many decimals in
// each row. Rows of that form are added in few instructions; all others are for the caller.

#include <functional>
#include <memory>
#include <string_view>

#include "apps/aggregate/groups.h"
#include "apps/aggregate/plan.h"
#include "apps/aggregate/separated.h"

namespace ontime::apps {

// Holds what it has added, of few groups at a time: in one line of a cache for each. One thread at a time.
class RegularRows {
 public:
  // A row of another form, with its line end.
  using Other = std::function<void(std::string_view line)>;

  // Nothing where the plan or `line`, without its line feed, has another form.
  static std::unique_ptr<RegularRows> find(const Plan& plan, const Columns& columns, char separator,
                                           std::string_view line, InstructionSet set = best_instruction_set());
  virtual ~RegularRows() = default;

  // Adds the lines of `bytes`.
  virtual void add(std::string_view bytes, FieldEnds& ends, const Other& other) = 0;
  // False once many rows had another form, or there are more groups than it is made for.
  virtual bool is_of_use() const = 0;
  // Holds nothing afterwards.
  virtual void drain(Groups& groups) = 0;
};

}  // namespace ontime::apps
