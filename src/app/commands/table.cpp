#include "app/commands/table.h"

#include <algorithm>

#include "json/escape.h"
#include "json/writer.h"

namespace spindle::app {
namespace {

std::string inCapitals(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (c == '_') c = ' ';
  }
  return text;
}

void appendRow(std::string& out,
               const std::vector<std::string>& cells,
               const std::vector<std::size_t>& widths) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    out += cells[i];
    const bool last = i + 1 == cells.size();
    if (!last) out.append(widths[i] + 2 - cells[i].size(), ' ');
  }
  out += '\n';
}

}  // namespace

Cell::Cell(std::string text) : text_(std::move(text)), json_(json::quoted(text_)) {}

Cell::Cell(const std::optional<std::string>& text)
    : text_(text.value_or("-")), json_(text ? json::quoted(*text) : "null") {}

Cell Cell::boolean(bool value) { return value ? Cell("yes", "true") : Cell("no", "false"); }

Cell Cell::number(double value) {
  const std::string text = json::shortestNumber(value);
  return {text, text};
}

Cell Cell::integer(std::int64_t value) {
  const std::string text = std::to_string(value);
  return {text, text};
}

std::string renderText(const Table& table) {
  if (table.headings.empty()) return {};
  std::vector<std::string> headings;
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.headings.size(); ++i) {
    headings.push_back(inCapitals(table.headings[i]));
    std::size_t width = headings.back().size();
    for (const auto& row : table.rows) width = std::max(width, row[i].text().size());
    widths.push_back(width);
  }
  std::string out;
  appendRow(out, headings, widths);
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    cells.reserve(row.size());
    for (const Cell& cell : row) cells.push_back(cell.text());
    appendRow(out, cells, widths);
  }
  return out;
}

std::string renderJsonLines(const Table& table) {
  std::string out;
  for (const auto& row : table.rows) {
    json::Writer writer(out);
    writer.beginObject();
    for (std::size_t i = 0; i < row.size(); ++i) writer.key(table.headings[i]).raw(row[i].json());
    writer.endObject();
    out += '\n';
  }
  return out;
}

}  // namespace spindle::app
