#pragma once
// Parameters that are yes or no.

#include <stdexcept>
#include <string>
#include <string_view>

#include "common/app/application.h"

namespace ontime::apps {

// Throws std::invalid_argument, with a sentence, for any other text.
inline bool parse_switch(const app::Parameters& parameters, std::string_view name) {
  const std::string& text = parameters.get(name);
  if (text != "yes" && text != "no")
    throw std::invalid_argument(std::string(name) + " must be yes or no, not \"" + text + "\"");
  return text == "yes";
}

}  // namespace ontime::apps
