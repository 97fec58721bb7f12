#include "config/value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include <arpa/inet.h>
#include <fmt/format.h>

#include "base/core/ascii.h"
#include "base/core/url_path.h"

namespace spindle::config {
namespace {

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

constexpr std::array<Unit, 5> kDurationUnits{
    {{"d", kDay}, {"h", kHour}, {"m", kMinute}, {"s", kSecond}, {"ms", 1}}};
constexpr std::array<Unit, 8> kSizeUnits{{{"GiB", 1LL << 30},
                                          {"MiB", 1LL << 20},
                                          {"KiB", 1LL << 10},
                                          {"GB", 1'000'000'000},
                                          {"MB", 1'000'000},
                                          {"kB", 1'000},
                                          {"KB", 1'000},
                                          {"B", 1}}};

/// Parses the whole number at the front of the text and removes it from the text.
std::optional<std::int64_t> takeNumber(std::string_view& text) {
  std::int64_t number = 0;
  if (text.empty() || !isDigit(text.front())) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

template <std::size_t N>
std::optional<std::int64_t> factorOf(std::string_view name, const std::array<Unit, N>& units) {
  for (const Unit& unit : units) {
    if (unit.name == name) return unit.factor;
  }
  return std::nullopt;
}

std::optional<std::int64_t> product(std::int64_t number, std::int64_t factor) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(number, factor, &result)) return std::nullopt;
  return result;
}

const std::string* textOf(const RawValue& raw) { return std::get_if<std::string>(&raw.value); }

bool isHostName(std::string_view host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return isLetterOrDigit(c) || c == '.' || c == '-' || c == '_';
  });
}

bool isIpv6(const std::string& host) {
  in6_addr address{};
  return inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

bool isOrigin(std::string_view text) {
  if (text == "*") return true;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!text.starts_with(scheme)) continue;
    const std::string_view host = text.substr(scheme.size());
    return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
      return c > ' ' && c < 0x7f && c != '/' && c != '?' && c != '#' && c != '@' && c != ',';
    });
  }
  return false;
}

std::vector<std::string> splitList(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view item = trimmed(text.substr(0, comma));
    if (!item.empty()) items.emplace_back(item);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return items;
}

}  // namespace

RawValue untyped(std::string text) { return RawValue{.value = std::move(text), .typed = false}; }

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

std::optional<std::chrono::milliseconds> parseDuration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::int64_t total = 0;
  while (!text.empty()) {
    const std::optional<std::int64_t> number = takeNumber(text);
    if (!number) return std::nullopt;
    const auto unit_end = std::find_if(text.begin(), text.end(), isDigit);
    const auto unit_size = static_cast<std::size_t>(unit_end - text.begin());
    const std::optional<std::int64_t> factor = factorOf(text.substr(0, unit_size), kDurationUnits);
    if (!factor) return std::nullopt;
    const std::optional<std::int64_t> part = product(*number, *factor);
    if (!part || __builtin_add_overflow(total, *part, &total)) return std::nullopt;
    text.remove_prefix(unit_size);
  }
  return std::chrono::milliseconds(total);
}

std::string formatDuration(std::chrono::milliseconds duration) {
  const std::int64_t count = duration.count();
  if (count == 0) return "0s";
  for (const Unit& unit : kDurationUnits) {
    if (count % unit.factor == 0) return fmt::format("{}{}", count / unit.factor, unit.name);
  }
  return fmt::format("{}ms", count);
}

std::optional<std::size_t> parseSize(std::string_view text) {
  const std::optional<std::int64_t> number = takeNumber(text);
  if (!number) return std::nullopt;
  const std::optional<std::int64_t> factor =
      text.empty() ? std::optional<std::int64_t>(1) : factorOf(text, kSizeUnits);
  if (!factor) return std::nullopt;
  const std::optional<std::int64_t> bytes = product(*number, *factor);
  if (!bytes) return std::nullopt;
  return static_cast<std::size_t>(*bytes);
}

std::string formatSize(std::size_t bytes) {
  if (bytes == 0) return "0B";
  for (const Unit& unit : kSizeUnits) {
    const auto factor = static_cast<std::size_t>(unit.factor);
    const bool binary = unit.name.find('i') != std::string_view::npos;
    if (binary && bytes % factor == 0) return fmt::format("{}{}", bytes / factor, unit.name);
  }
  return fmt::format("{}B", bytes);
}

std::string ListenAddress::text() const {
  const bool bracketed = host.find(':') != std::string::npos;
  return bracketed ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::optional<ListenAddress> parseListenAddress(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view port_text = text.substr(colon + 1);
  const std::optional<std::int64_t> port = takeNumber(port_text);
  if (!port || !port_text.empty() || *port > std::numeric_limits<std::uint16_t>::max()) {
    return std::nullopt;
  }
  ListenAddress address;
  address.port = static_cast<std::uint16_t>(*port);
  const std::string_view host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    address.host = std::string(host.substr(1, host.size() - 2));
    if (!isIpv6(address.host)) return std::nullopt;
    return address;
  }
  if (!isHostName(host)) return std::nullopt;
  address.host = std::string(host);
  return address;
}

namespace {

/// Returns a codec of a value that is a text in files, without its functions.
template <class T>
Codec<T> codecOfText(std::string_view type, std::string_view expected, std::string_view example) {
  Codec<T> codec;
  codec.type = std::string(type);
  codec.expected = std::string(expected);
  codec.example = quote(example);
  codec.text_example = std::string(example);
  return codec;
}

/// Returns the `parse` function of a codec of texts: `read(const std::string&)` of a text, nothing
/// for other values.
template <class Read>
auto readText(Read read) {
  return [read](const RawValue& raw) -> decltype(read(std::string())) {
    const std::string* text = textOf(raw);
    if (text == nullptr) return std::nullopt;
    return read(*text);
  };
}

/// Returns a codec of a text that `parse` checks and normalizes, without the spaces around it.
Codec<std::string> checkedText(std::string_view type,
                               std::string_view expected,
                               std::string_view example,
                               std::optional<std::string> (*parse)(std::string_view text)) {
  auto codec = codecOfText<std::string>(type, expected, example);
  codec.parse = readText([parse](const std::string& text) { return parse(trimmed(text)); });
  codec.literal = [](const std::string& text) { return quote(text); };
  return codec;
}

/// Returns the URL without slashes at its end; empty for an empty text.
std::optional<std::string> parseHttpUrl(std::string_view url) {
  if (url.empty()) return std::string();
  const std::size_t scheme = url.starts_with("http://") ? 7 : url.starts_with("https://") ? 8 : 0;
  const bool plain = std::all_of(
      url.begin(), url.end(), [](char c) { return c > ' ' && c < 0x7f && c != '?' && c != '#'; });
  while (url.size() > scheme && url.ends_with('/')) url.remove_suffix(1);
  if (scheme == 0 || !plain || url.size() == scheme) return std::nullopt;
  return std::string(url);
}

/// Returns the path without slashes at its end; empty for the path `/`.
std::optional<std::string> parseUrlPath(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path.empty()) return std::string();
  if (!isUrlPath(path)) return std::nullopt;
  return std::string(path);
}

}  // namespace

Codec<std::string> plainText(std::size_t most, std::string_view example) {
  auto codec = codecOfText<std::string>(
      "text", fmt::format("at most {} printable ASCII characters", most), example);
  codec.parse = readText([most](const std::string& text) -> std::optional<std::string> {
    const std::string_view value = trimmed(text);
    const bool printable =
        std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c < 0x7f; });
    if (value.size() > most || !printable) return std::nullopt;
    return std::string(value);
  });
  codec.literal = [](const std::string& text) { return quote(text); };
  return codec;
}

Codec<bool> boolean() {
  Codec<bool> codec;
  codec.type = "boolean";
  codec.expected = "true or false";
  codec.example = codec.text_example = "true";
  codec.parse = [](const RawValue& raw) -> std::optional<bool> {
    if (const bool* truth = std::get_if<bool>(&raw.value)) return *truth;
    const std::string* text = textOf(raw);
    if (text == nullptr || raw.typed) return std::nullopt;
    for (const std::string_view yes : {"true", "1", "yes", "on"}) {
      if (*text == yes) return true;
    }
    for (const std::string_view no : {"false", "0", "no", "off"}) {
      if (*text == no) return false;
    }
    return std::nullopt;
  };
  codec.literal = [](const bool& truth) -> std::string { return truth ? "true" : "false"; };
  return codec;
}

Codec<std::int64_t> integer(std::int64_t least, std::int64_t most, std::int64_t example) {
  Codec<std::int64_t> codec;
  codec.type = fmt::format("integer, {} to {}", least, most);
  codec.expected = fmt::format("an integer from {} to {}", least, most);
  codec.example = codec.text_example = fmt::format("{}", example);
  codec.parse = [least, most](const RawValue& raw) -> std::optional<std::int64_t> {
    std::optional<std::int64_t> number;
    if (const std::int64_t* given = std::get_if<std::int64_t>(&raw.value)) number = *given;
    if (const std::string* text = textOf(raw); text != nullptr && !raw.typed) {
      std::string_view rest = trimmed(*text);
      number = takeNumber(rest);
      if (!rest.empty()) return std::nullopt;
    }
    if (!number || *number < least || *number > most) return std::nullopt;
    return number;
  };
  codec.literal = [](const std::int64_t& number) { return fmt::format("{}", number); };
  return codec;
}

Codec<std::chrono::milliseconds> duration(std::chrono::milliseconds least,
                                          std::chrono::milliseconds most,
                                          std::string_view example) {
  auto codec = codecOfText<std::chrono::milliseconds>(
      fmt::format("duration, {} to {}", formatDuration(least), formatDuration(most)),
      fmt::format("a duration from {} to {}", formatDuration(least), formatDuration(most)),
      example);
  codec.parse = readText([least, most](const std::string& text) {
    std::optional<std::chrono::milliseconds> time = parseDuration(trimmed(text));
    if (time && (*time < least || *time > most)) time.reset();
    return time;
  });
  codec.literal = [](const std::chrono::milliseconds& time) { return quote(formatDuration(time)); };
  return codec;
}

Codec<std::size_t> size(std::size_t least, std::size_t most, std::string_view example) {
  auto codec = codecOfText<std::size_t>(
      fmt::format("size, {} to {}", formatSize(least), formatSize(most)),
      fmt::format("a size from {} to {}", formatSize(least), formatSize(most)), example);
  codec.parse = [least, most](const RawValue& raw) -> std::optional<std::size_t> {
    std::optional<std::size_t> bytes;
    if (const std::int64_t* number = std::get_if<std::int64_t>(&raw.value);
        number && *number >= 0) {
      bytes = static_cast<std::size_t>(*number);
    }
    if (const std::string* text = textOf(raw)) bytes = parseSize(trimmed(*text));
    if (!bytes || *bytes < least || *bytes > most) return std::nullopt;
    return bytes;
  };
  codec.literal = [](const std::size_t& bytes) { return quote(formatSize(bytes)); };
  return codec;
}

Codec<std::filesystem::path> path(std::string_view example) {
  auto codec = codecOfText<std::filesystem::path>("path", "a path", example);
  codec.parse = readText([](const std::string& text) -> std::optional<std::filesystem::path> {
    if (text.find('\0') != std::string::npos) return std::nullopt;
    return std::filesystem::path(text);
  });
  codec.literal = [](const std::filesystem::path& value) { return quote(value.string()); };
  return codec;
}

Codec<ListenAddress> listenAddress() {
  auto codec = codecOfText<ListenAddress>(
      "address, host:port", "an address of the form host:port, an IPv6 host in brackets",
      "127.0.0.1:8080");
  codec.parse = readText([](const std::string& text) { return parseListenAddress(trimmed(text)); });
  codec.literal = [](const ListenAddress& address) { return quote(address.text()); };
  return codec;
}

namespace {

struct ListText {
  std::string type = {};
  std::string expected = {};
  std::string example = {};
  std::string text_example = {};
};

/// A list of a file, or a text with commas between the items.
Codec<std::vector<std::string>> listOf(bool (*accepts)(std::string_view item),
                                       ListText texts = {}) {
  Codec<std::vector<std::string>> codec;
  codec.type = std::move(texts.type);
  codec.expected = std::move(texts.expected);
  codec.example = std::move(texts.example);
  codec.text_example = std::move(texts.text_example);
  codec.parse = [accepts](const RawValue& raw) -> std::optional<std::vector<std::string>> {
    std::vector<std::string> items;
    if (const auto* list = std::get_if<std::vector<std::string>>(&raw.value)) {
      items = *list;
    } else if (const std::string* text = textOf(raw); text != nullptr && !raw.typed) {
      items = splitList(*text);
    } else {
      return std::nullopt;
    }
    if (!std::all_of(items.begin(), items.end(), accepts)) return std::nullopt;
    return items;
  };
  codec.literal = [](const std::vector<std::string>& items) {
    std::string out;
    for (const std::string& item : items) out += (out.empty() ? "" : ", ") + quote(item);
    return "[" + out + "]";
  };
  return codec;
}

bool isHostPattern(std::string_view text) {
  if (text.starts_with("*.")) text.remove_prefix(2);
  return !text.empty() && text.find_first_of("*/:@ \t") == std::string_view::npos;
}

bool isNetwork(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("0123456789abcdefABCDEF.:/") == std::string_view::npos;
}

}  // namespace

Codec<std::vector<std::string>> origins() {
  return listOf(isOrigin,
                {.type = "list of origins",
                 .expected = "a list of web origins (scheme://host, without a path), or *",
                 .example = "[\"https://app.example.com\"]",
                 .text_example = "https://app.example.com,https://admin.example.com"});
}

Codec<std::vector<std::string>> hosts() {
  return listOf(isHostPattern, {.type = "list of hosts",
                                .expected = "a list of host names, each whole or *.suffix",
                                .example = "[\"ci.example.com\", \"*.corp.example.com\"]",
                                .text_example = "ci.example.com,*.corp.example.com"});
}

Codec<std::vector<std::string>> networks() {
  return listOf(isNetwork, {.type = "list of networks",
                            .expected = "a list of networks, each as address/length",
                            .example = "[\"10.1.0.0/16\"]",
                            .text_example = "10.1.0.0/16,fd00::/8"});
}

Codec<std::vector<std::chrono::milliseconds>> durations(std::chrono::milliseconds least,
                                                        std::chrono::milliseconds most,
                                                        std::size_t most_items) {
  using Durations = std::vector<std::chrono::milliseconds>;
  Codec<Durations> codec;
  const std::string range = formatDuration(least) + " to " + formatDuration(most);
  codec.type = "list of durations, each " + range;
  codec.expected = "a list of at most " + std::to_string(most_items) + " durations, each " + range;
  codec.example = "[\"5s\", \"5m\", \"1h\"]";
  codec.text_example = "5s,5m,1h";
  const auto items = listOf([](std::string_view item) { return parseDuration(item).has_value(); });
  codec.parse = [least, most, most_items,
                 items = items.parse](const RawValue& raw) -> std::optional<Durations> {
    const std::optional<std::vector<std::string>> texts = items(raw);
    if (!texts || texts->size() > most_items) return std::nullopt;
    Durations found;
    for (const std::string& text : *texts) {
      const std::optional<std::chrono::milliseconds> one = parseDuration(text);
      if (!one || *one < least || *one > most) return std::nullopt;
      found.push_back(*one);
    }
    return found;
  };
  codec.literal = [literal = items.literal](const Durations& found) {
    std::vector<std::string> texts;
    for (const std::chrono::milliseconds one : found) texts.push_back(formatDuration(one));
    return literal(texts);
  };
  return codec;
}

Codec<double> fraction(std::string_view example) {
  Codec<double> codec;
  codec.type = "number, 0 to 1";
  codec.expected = "a number from 0 to 1";
  codec.example = codec.text_example = std::string(example);
  codec.parse = [](const RawValue& raw) -> std::optional<double> {
    std::optional<double> number;
    if (const double* given = std::get_if<double>(&raw.value)) number = *given;
    if (const std::int64_t* given = std::get_if<std::int64_t>(&raw.value))
      number = static_cast<double>(*given);
    if (const std::string* text = textOf(raw); text != nullptr && !raw.typed) {
      const std::string_view digits = trimmed(*text);
      double read = 0;
      const char* const end = digits.data() + digits.size();
      const auto [stop, problem] = std::from_chars(digits.data(), end, read);
      if (problem == std::errc() && stop == end) number = read;
    }
    if (!number || !(*number >= 0 && *number <= 1)) return std::nullopt;
    return number;
  };
  codec.literal = [](const double& number) {
    const std::string text = fmt::format("{}", number);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  };
  return codec;
}

Codec<std::string> httpUrl(std::string_view example) {
  return checkedText("http or https URL",
                     "a URL that starts with http:// or https://, without ? and #", example,
                     parseHttpUrl);
}

Codec<std::string> urlPath(std::string_view example) {
  return checkedText("path of a URL", "a path that starts with /, of letters, digits and / - . _ ~",
                     example, parseUrlPath);
}

Codec<Secret> secret(std::size_t least, std::string_view made_by) {
  Codec<Secret> codec;
  codec.type = fmt::format("secret, at least {} characters", least);
  codec.expected = fmt::format("at least {} printable characters without spaces", least);
  codec.example = codec.text_example = fmt::format("what `{}` prints", made_by);
  codec.secret = true;
  codec.parse = readText([least](const std::string& text) -> std::optional<Secret> {
    if (!text.empty() && text.size() < least) return std::nullopt;
    // Clients cannot send a key that contains a newline or a space.
    const bool printable =
        std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
    if (!printable) return std::nullopt;
    return Secret(text);
  });
  codec.literal = [](const Secret& value) -> std::string {
    return value.empty() ? "\"\"" : "\"***\"";
  };
  return codec;
}

Codec<Secret> metadataLocation() {
  auto codec = codecOfText<Secret>("`sqlite` or a PostgreSQL connection URI",
                                   "sqlite or a connection URI that starts with postgres://",
                                   "postgres://spindle@db.example.com/spindle");
  codec.secret = true;
  codec.parse = readText([](const std::string& text) -> std::optional<Secret> {
    const bool uri = text.starts_with("postgres://") || text.starts_with("postgresql://");
    if (text != "sqlite" && !uri) return std::nullopt;
    return Secret(text);
  });
  codec.literal = [](const Secret& value) -> std::string {
    return value.reveal() == "sqlite" ? "\"sqlite\"" : "\"postgres://***\"";
  };
  return codec;
}

Codec<std::size_t> choiceOf(std::vector<std::string> names) {
  std::string listed;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) listed += i + 1 == names.size() ? " or " : ", ";
    listed += names[i];
  }
  auto codec = codecOfText<std::size_t>(listed, listed, names.front());
  codec.parse = readText([names](const std::string& text) -> std::optional<std::size_t> {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names.begin());
  });
  codec.literal = [names](const std::size_t& index) { return quote(names[index]); };
  return codec;
}

}  // namespace spindle::config
