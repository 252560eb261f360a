#pragma once
// The fields of records: of lines with a separator, of CSV, of JSON.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/aggregate/separated.h"
#include "common/app/application.h"

namespace ontime::apps {

enum class FieldKind { Separated, Csv, Json };

// How the fields of a job's records are told apart.
struct FieldFormat {
  FieldKind kind = FieldKind::Separated;
  char separator = '\t';

  // Of the parameters `format` and `separator`; where they are empty, as `records` has it. Throws
  // std::invalid_argument.
  static FieldFormat find(const app::Parameters& parameters, const app::RecordFormat& records);
};

// Throws std::invalid_argument for a parameter that has no meaning with any records.
void check_field_format(const app::Parameters& parameters);

// Places of `fields`, numbers from 1 or names of the header, which may be empty. Throws BadRecord, of one at `offset`.
Columns find_columns(const std::vector<std::string>& fields, std::string_view header, char separator,
                     std::uint64_t offset);

// Divides one record, with quotes if it is CSV. A field that holds a quote is kept in `unquoted`; returns whether there
// is none, so that all values stand in the record.
bool divide_row(std::string_view record, const FieldFormat& format, const Columns& columns,
                std::span<std::string_view> values, std::vector<std::string>& unquoted);

}  // namespace ontime::apps
