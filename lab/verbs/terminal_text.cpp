#include "cli/show/table.h"
#include "lab/verbs/command.h"

namespace ontime::lab {

std::string terminal_text(const Grid& grid) {
  std::vector<cli::Table::Column> columns;
  for (const std::string& title : grid.titles) {
    columns.push_back({title, columns.size() < grid.names ? cli::Align::Left : cli::Align::Right});
  }
  cli::Table table(std::move(columns));
  for (const Cells& line : grid.lines) table.add_row({line.begin(), line.end()});
  return table.to_string();
}

}  // namespace ontime::lab
