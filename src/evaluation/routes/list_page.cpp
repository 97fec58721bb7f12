#include "evaluation/routes/list_page.h"

#include <charconv>
#include <string_view>

#include "http/router/paging.h"

namespace spindle::evaluation {

schema::Codec<CursorLine> cursorLineCodec() {
  return schema::Record<CursorLine>("ListCursor")
      .required("next_cursor", &CursorLine::next_cursor, schema::nullable(schema::string()),
                "`cursor` of the next page; null on the last page.")
      .codec();
}

std::string cursorLine(std::optional<std::string> next_cursor) {
  static const schema::Codec<CursorLine> codec = cursorLineCodec();
  return codec.toJson(CursorLine{std::move(next_cursor)});
}

std::string cursorAfter(const ListPath& path, const ListPosition& position) {
  std::string text = path.order;
  for (const std::string& field : position) text.append("\n").append(field);
  return http::encodeCursor(text);
}

Result<std::optional<ListPosition>> positionOf(const ListPath& path, std::size_t fields) {
  if (path.cursor.empty()) return std::optional<ListPosition>();
  if (path.offset.value_or(0) != 0) {
    return Error::invalidArgument("cursor and offset exclude each other");
  }
  const std::string text = TRY(http::decodeCursor(path.cursor));
  ListPosition parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (parts.size() != fields + 1 || parts.front() != path.order) {
    return http::invalidCursor(path.cursor);
  }
  parts.erase(parts.begin());
  return std::optional<ListPosition>(std::move(parts));
}

Result<std::int64_t> integerAt(const ListPath& path, const std::string& text) {
  std::int64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data(), last, number);
  if (problem != std::errc() || end != last) return http::invalidCursor(path.cursor);
  return number;
}

}  // namespace spindle::evaluation
