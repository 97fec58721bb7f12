#include "storage/folder/key_ring.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "storage/database/database.h"

namespace spindle::storage {
namespace {

constexpr std::string_view kFileName = "secret-key";
constexpr std::size_t kMinTextLength = 32;

std::string_view bytesOf(const Sha256& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

int digitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<Sha256> parseHex(std::string_view text) {
  Sha256 key{};
  if (text.size() != key.size() * 2) return std::nullopt;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const int high = digitOf(text[2 * i]);
    const int low = digitOf(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    key[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return key;
}

std::string_view withoutLineEnd(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

}  // namespace

KeyRing KeyRing::load(const DataFolder& folder, const Secret& given) {
  if (!given.empty()) {
    if (const std::optional<Sha256> key = parseHex(given.reveal())) return KeyRing(*key);
    if (given.reveal().size() < kMinTextLength) {
      throw std::runtime_error(
          "the secret key is too short: give 64 hexadecimal digits, or a text "
          "of at least 32 characters");
    }
    return KeyRing(sha256(given.reveal()));
  }
  if (!folder.read(kFileName)) {
    Sha256 fresh{};
    randomBytes(fresh.data(), fresh.size());
    folder.create(kFileName,
                  toHex(fresh) + "\n");  // if another process was first, its file is read
  }
  const Secret content(folder.read(kFileName).value_or(""));
  const std::optional<Sha256> key = parseHex(withoutLineEnd(content.reveal()));
  if (!key) {
    throw std::runtime_error("the file " + folder.fileAt(kFileName) +
                             " is damaged: restore it from a backup");
  }
  return KeyRing(*key);
}

bool KeyRing::exists(const DataFolder& folder, const Secret& given) {
  return !given.empty() || folder.read(kFileName).has_value();
}

Sha256 KeyRing::derive(std::string_view label) const {
  return hmacSha256(bytesOf(master_), "spindle/1/" + std::string(label));
}

void KeyRing::confirm(Database& database) const {
  const std::string mark = toHex(derive("storage/key-check"));
  const Result<std::string> stored = database.write([&](Session& session) -> Result<std::string> {
    TRY(session.execute(
        "INSERT INTO storage_key_check (id, mark) VALUES (1, ?) ON CONFLICT (id) DO NOTHING",
        {mark}));
    const std::optional<Row> row =
        TRY(session.queryOne("SELECT mark FROM storage_key_check WHERE id = 1"));
    return row->text("mark");
  });
  if (!stored) throw std::runtime_error(stored.error().message());
  if (!equalInConstantTime(*stored, mark)) {
    throw std::runtime_error(
        "the data was written with another secret key: restore the file secret-key of its data "
        "folder, or give the secret key it was started with");
  }
}

bool KeyRing::isKeyOf(Database& database) const {
  const Result<std::optional<Row>> stored = database.read([](Session& session) {
    return session.queryOne("SELECT mark FROM storage_key_check WHERE id = 1");
  });
  if (!stored) throw std::runtime_error(stored.error().message());
  return !*stored ||
         equalInConstantTime((*stored)->text("mark"), toHex(derive("storage/key-check")));
}

AreaSchema storageSchema() {
  return {"storage",
          {{1, "remember which secret key the data belongs to",
            "CREATE TABLE storage_key_check (id BIGINT PRIMARY KEY, mark TEXT NOT NULL);"},
           {2, "moves into this database", R"sql(
    -- One row after `spindle migrate` has moved data into this database; see storage/copy.
    CREATE TABLE storage_move (
      id BIGINT PRIMARY KEY,
      source TEXT NOT NULL,
      prepared BIGINT NOT NULL,
      started_at BIGINT NOT NULL,
      finished_at BIGINT);
  )sql"}}};
}

}  // namespace spindle::storage
