#include "http/message/multipart.h"

#include <algorithm>
#include <optional>

#include "base/core/ascii.h"
#include "http/message/message.h"
#include "http/message/uri.h"

namespace spindle::http {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::size_t kNone = std::string_view::npos;

Error broken(const std::string& why) { return Error::invalidArgument("Bad form: " + why); }

bool isTokenCharacter(char c) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return isLetterOrDigit(c) || kOthers.find(c) != kNone;
}

/// Iterates over the parameters after the first semicolon of a field.
class ParameterReader {
 public:
  explicit ParameterReader(std::string_view field) {
    const std::size_t semicolon = field.find(';');
    if (semicolon != kNone) rest_ = field.substr(semicolon);
  }

  /// @return false at the end of the field, kInvalidArgument if the field is invalid.
  Result<bool> next() {
    while (true) {
      rest_ = trimmed(rest_);
      if (rest_.empty()) return false;
      if (rest_.front() != ';') return broken("a parameter is not followed by a semicolon.");
      rest_ = trimmed(rest_.substr(1));
      if (rest_.empty()) return false;
      if (rest_.front() != ';') break;
    }
    name = takeToken();
    rest_ = trimmed(rest_);
    if (name.empty() || rest_.empty() || rest_.front() != '=') {
      return broken("a parameter is not of the form name=value.");
    }
    rest_ = trimmed(rest_.substr(1));
    if (!rest_.empty() && rest_.front() == '"') return takeQuoted();
    value = takeToken();
    if (value.empty()) return broken("a parameter has no value.");
    return true;
  }

  std::string_view name;
  std::string value;

 private:
  std::string_view takeToken() {
    std::size_t length = 0;
    while (length < rest_.size() && isTokenCharacter(rest_[length])) ++length;
    const std::string_view token = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return token;
  }

  /// Only `\"` and `\\` are escapes, because some browsers send unescaped Windows paths.
  Result<bool> takeQuoted() {
    value.clear();
    for (std::size_t at = 1; at < rest_.size(); ++at) {
      char c = rest_[at];
      if (c == '"') {
        rest_.remove_prefix(at + 1);
        return true;
      }
      if (c == '\\' && at + 1 < rest_.size() && (rest_[at + 1] == '"' || rest_[at + 1] == '\\')) {
        c = rest_[++at];
      }
      value.push_back(c);
    }
    return broken("a quoted value is not closed.");
  }

  std::string_view rest_;
};

/// Returns true for a boundary of RFC 2046: 1 to 70 allowed characters, not ending with a space.
bool isBoundary(std::string_view text) {
  constexpr std::string_view kOthers = "'()+_,-./:=? ";
  if (text.empty() || text.size() > 70 || text.back() == ' ') return false;
  for (const char c : text) {
    if (!isLetterOrDigit(c) && kOthers.find(c) == kNone) return false;
  }
  return true;
}

/// Decodes `UTF-8'en'na%C3%AFve.txt` (RFC 8187).
std::optional<std::string> decodeExtendedValue(std::string_view text) {
  const std::size_t first = text.find('\'');
  const std::size_t second = first == kNone ? kNone : text.find('\'', first + 1);
  if (second == kNone || !equalIgnoringCase(text.substr(0, first), "utf-8")) return std::nullopt;
  return percentDecode(text.substr(second + 1));
}

bool isCleanText(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  }
  return isUtf8(text);
}

Result<void> readDisposition(std::string_view field, FormPart& part) {
  if (!equalIgnoringCase(trimmed(field.substr(0, field.find(';'))), "form-data")) {
    return broken("a part's Content-Disposition is not form-data.");
  }
  bool has_name = false;
  bool has_extended = false;
  ParameterReader parameters(field);
  while (TRY(parameters.next())) {
    if (equalIgnoringCase(parameters.name, "name")) {
      if (has_name) return broken("a part has two names.");
      has_name = true;
      part.name = std::move(parameters.value);
    } else if (equalIgnoringCase(parameters.name, "filename*")) {
      std::optional<std::string> decoded = decodeExtendedValue(parameters.value);
      if (!decoded) return broken("a part's filename* is not UTF-8 percent-encoded.");
      has_extended = part.has_filename = true;
      part.filename = *std::move(decoded);
    } else if (equalIgnoringCase(parameters.name, "filename") && !has_extended) {
      part.has_filename = true;
      part.filename = std::move(parameters.value);
    }
  }
  if (!has_name) return broken("a part has no name.");
  if (!isCleanText(part.name)) return broken("a part's name is not clean UTF-8 text.");
  if (!isCleanText(part.filename)) return broken("a part's filename is not clean UTF-8 text.");
  return {};
}

Result<FormPart> readHeader(std::string_view header) {
  FormPart part;
  part.content_type = "text/plain";
  bool has_disposition = false;
  while (!header.empty()) {
    const std::size_t end = header.find(kLineEnd);
    const std::string_view line = header.substr(0, end);
    header.remove_prefix(end == kNone ? header.size() : end + kLineEnd.size());
    const std::size_t colon = line.find(':');
    if (colon == kNone || colon == 0 || line.front() == ' ' || line.front() == '\t') {
      return broken("a part has a header line without a name.");
    }
    const std::string_view name = trimmed(line.substr(0, colon));
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (equalIgnoringCase(name, "Content-Disposition")) {
      if (has_disposition) return broken("a part has two Content-Disposition headers.");
      has_disposition = true;
      TRY(readDisposition(value, part));
    } else if (equalIgnoringCase(name, "Content-Type") && !value.empty()) {
      part.content_type = value;
    } else if (equalIgnoringCase(name, "Content-Transfer-Encoding") &&
               !equalIgnoringCase(value, "binary") && !equalIgnoringCase(value, "8bit") &&
               !equalIgnoringCase(value, "7bit")) {
      return broken("a part has a transfer encoding, which forms over HTTP do not use.");
    }
  }
  if (!has_disposition) return broken("a part has no Content-Disposition.");
  return part;
}

/// The position of a delimiter line.
struct Delimiter {
  std::size_t begin = 0;  ///< start of the preceding line end, which belongs to the delimiter
  std::size_t end = 0;    ///< after its own line end
  bool closes = false;
};

class FormReader {
 public:
  FormReader(std::string_view boundary, std::string_view body)
      : mark_("--" + std::string(boundary)), body_(body) {}

  /// Returns the first delimiter at or after `from`, which is the start of a line.
  std::optional<Delimiter> findDelimiter(std::size_t from) const {
    std::size_t at = from;
    while (true) {
      if (body_.substr(at, mark_.size()) == mark_) {
        const std::optional<Delimiter> found = delimiterAt(at);
        if (found) return found;
      }
      at = body_.find(line_mark_, at);
      if (at == kNone) return std::nullopt;
      at += kLineEnd.size();
    }
  }

 private:
  std::optional<Delimiter> delimiterAt(std::size_t line) const {
    Delimiter found;
    found.begin = line >= kLineEnd.size() ? line - kLineEnd.size() : line;
    std::size_t at = line + mark_.size();
    if (body_.substr(at, 2) == "--") {
      found.closes = true;
      at += 2;
    }
    while (at < body_.size() && (body_[at] == ' ' || body_[at] == '\t')) ++at;
    if (body_.substr(at, kLineEnd.size()) == kLineEnd) {
      at += kLineEnd.size();
    } else if (!found.closes || at < body_.size()) {
      return std::nullopt;  // data that only starts like a delimiter
    }
    found.end = at;
    return found;
  }

  const std::string mark_;
  const std::string line_mark_ = std::string(kLineEnd) + mark_;
  const std::string_view body_;
};

}  // namespace

Result<std::string> fieldParameter(std::string_view field, std::string_view parameter) {
  ParameterReader parameters(field);
  while (TRY(parameters.next())) {
    if (equalIgnoringCase(parameters.name, parameter)) return std::move(parameters.value);
  }
  return Error::notFound("The field has no such parameter.");
}

Result<std::vector<FormPart>> parseMultipart(std::string_view content_type,
                                             std::string_view body,
                                             const MultipartLimits& limits) {
  const std::string_view media_type = trimmed(content_type.substr(0, content_type.find(';')));
  if (!equalIgnoringCase(media_type, "multipart/form-data")) {
    return Error(ErrorCode::kUnsupportedMediaType, "The body must be multipart/form-data.");
  }
  Result<std::string> boundary = fieldParameter(content_type, "boundary");
  if (!boundary && boundary.error().code() != ErrorCode::kNotFound) {
    return std::move(boundary).error();
  }
  if (!boundary) return broken("the Content-Type has no boundary.");
  if (!isBoundary(*boundary)) return broken("the boundary is not 1 to 70 allowed characters.");

  const FormReader reader(*boundary, body);
  std::vector<FormPart> parts;
  std::optional<Delimiter> delimiter = reader.findDelimiter(0);
  if (!delimiter) return broken("the boundary does not occur in the body.");
  while (!delimiter->closes) {
    if (parts.size() == limits.parts) {
      return Error(ErrorCode::kTooLarge,
                   "The form has more than " + std::to_string(limits.parts) + " parts.");
    }
    constexpr std::string_view kHeaderEnd = "\r\n\r\n";
    const std::string_view rest = body.substr(delimiter->end);
    const std::size_t header_size =
        rest.substr(0, limits.header_bytes + kHeaderEnd.size()).find(kHeaderEnd);
    if (header_size == kNone) {
      if (rest.size() <= limits.header_bytes) return broken("a part's header does not end.");
      return Error(ErrorCode::kTooLarge, "A part of the form has a header of more than " +
                                             std::to_string(limits.header_bytes) + " bytes.");
    }
    FormPart part = TRY(readHeader(rest.substr(0, header_size)));
    const std::size_t data_begin = delimiter->end + header_size + kHeaderEnd.size();
    delimiter = reader.findDelimiter(data_begin);
    if (!delimiter) return broken("the body ends before its closing boundary.");
    // In a part without data, the empty line after the header belongs to the delimiter.
    const std::size_t data_end = std::max(delimiter->begin, data_begin);
    part.data = body.substr(data_begin, data_end - data_begin);
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace spindle::http
