#include "tests/apps/mapped.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "apps/text/text_output.h"
#include "common/app/loaded_application.h"

namespace ontime::apps::test {
namespace {

bool holds(const std::vector<std::size_t>& indices, std::size_t index) {
  return std::find(indices.begin(), indices.end(), index) != indices.end();
}

void map_batch(app::Mapper& mapper, std::string_view bytes, std::uint64_t offset, const app::RecordFormat& format,
               app::Output& out) {
  // In memory of its very size, so that a sanitizer sees every byte read behind it.
  const auto copy = std::make_unique<char[]>(bytes.size());
  std::memcpy(copy.get(), bytes.data(), bytes.size());
  mapper.map({{copy.get(), bytes.size()}, offset, &format}, out);
}

std::size_t end_of_record(std::string_view text, std::size_t begin, std::size_t record_bytes) {
  if (record_bytes > 0) return std::min(text.size(), begin + record_bytes);
  const std::size_t feed = text.find('\n', begin);
  return feed == std::string_view::npos ? text.size() : feed + 1;
}

}  // namespace

const app::Application& application(const std::string& name) {
  auto loaded = app::LoadedApplication::load(name, {ONTIME_APPS_DIRECTORY});
  if (!loaded) throw std::runtime_error(loaded.error().message);
  return loaded->application();
}

TestContext context_of(const app::Application& application, std::map<std::string, std::string, std::less<>> given) {
  for (const app::Parameter& parameter : application.parameters()) {
    given.emplace(parameter.name, parameter.default_value);
  }
  return TestContext(std::move(given));
}

std::vector<std::string> map_text(app::Mapper& mapper, std::string_view text, const Division& division) {
  std::vector<std::string> outputs;
  auto out = std::make_unique<TightOutput>();
  std::size_t batch = 0, line = 0;
  mapper.begin_segment(0);
  for (std::size_t at = 0; at < text.size(); ++line) {
    at += *division.format->find_end({text.substr(at), at, true});
    const bool cut = holds(division.cuts, line) || at == text.size();
    if (!cut && !holds(division.batches, line)) continue;
    map_batch(mapper, text.substr(batch, at - batch), batch, *division.format, *out);
    batch = at;
    if (!cut) continue;
    mapper.flush(*out);
    outputs.push_back(out->text());
    out = std::make_unique<TightOutput>();
    if (at < text.size()) mapper.begin_segment(at);
  }
  return outputs;
}

std::vector<std::string> map_text(const app::Application& application, TestContext& context, std::string_view text,
                                  const Division& division) {
  const auto mapper = application.make_mapper();
  mapper->setup(context);
  return map_text(*mapper, text, division);
}

std::string merge(const app::Application& application, const TestContext& context,
                  const std::vector<std::string>& outputs) {
  std::map<std::string, std::vector<std::string>> values;
  for (const std::string& output : outputs) {
    for (const app::Line line : app::Lines(output, 0)) {
      const std::size_t tab = line.text.find('\t');
      values[std::string(line.text.substr(0, tab))].emplace_back(line.text.substr(tab + 1));
    }
  }
  const auto merger = application.merger_for(context);
  merger->setup(context);
  std::string answer;
  TextOutput out(answer);
  for (const auto& [key, of_key] : values) {
    std::string merged = of_key.front();
    if (of_key.size() > 1) {
      merged.clear();
      merger->merge(key, std::vector<std::string_view>(of_key.begin(), of_key.end()), merged);
    }
    merger->finish(key, merged, out);
  }
  merger->finish_all(out);
  out.finish();
  return answer;
}

std::vector<std::string> records_of(std::string_view bytes, std::size_t record_bytes) {
  std::vector<std::string> records;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = end_of_record(bytes, at, record_bytes);
    const bool has_feed = record_bytes == 0 && bytes[end - 1] == '\n';
    records.emplace_back(bytes.substr(at, end - at - (has_feed ? 1 : 0)));
    at = end;
  }
  return records;
}

std::string sorted(const app::Application& application, const TestContext& context,
                   const std::vector<std::string>& outputs) {
  const auto order = application.make_order();
  order->setup(context);
  const auto is_before = [&](const std::string& a, const std::string& b) {
    const auto left = order->rank(a), right = order->rank(b);
    return left != right ? left < right : order->is_before(a, b);
  };
  std::vector<std::string> records;
  for (const std::string& output : outputs) {
    std::vector<std::string> run = records_of(output, order->record_bytes());
    if (!std::is_sorted(run.begin(), run.end(), is_before)) throw std::logic_error("a segment is not one sorted run");
    records.insert(records.end(), run.begin(), run.end());
  }
  std::sort(records.begin(), records.end(), is_before);
  std::string answer;
  TextOutput out(answer);
  for (const std::string& record : records) order->finish(record, out);
  order->finish_all(out);
  out.finish();
  return answer;
}

}  // namespace ontime::apps::test
