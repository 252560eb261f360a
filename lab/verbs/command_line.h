#pragma once
// From argv to a Command of the lab; pure as cli/command_line.h.

#include <string>
#include <vector>

#include "cli/command_line.h"
#include "lab/verbs/command.h"

namespace ontime::lab {

using ParsedLabLine = cli::Parsed<Command>;

// `arguments` without the program's name.
ParsedLabLine parse_lab_line(std::vector<std::string> arguments);

}  // namespace ontime::lab
