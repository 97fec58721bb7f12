#include <cstdio>
#include <stdexcept>
#include <variant>

#include <fmt/format.h>
#include <unistd.h>

#include "app/commands/command_groups.h"
#include "app/commands/command_output.h"
#include "app/commands/console_progress.h"
#include "app/commands/json_object.h"
#include "app/commands/server_command.h"
#include "app/commands/table.h"
#include "http/message/uri.h"
#include "json/document.h"
#include "transfer/artifact_api_client.h"
#include "transfer/artifact_transfer.h"

namespace spindle::app {
namespace {

using json::Node;
using transfer::RemoteArtifactPath;

[[noreturn]] void throwMessage(const Error& error) { throw std::runtime_error(error.message()); }

template <class T>
T orFail(Result<T> result) {
  if (!result) throwMessage(result.error());
  return *std::move(result);
}

RemoteArtifactPath addressOf(const std::string& text) {
  return orFail(transfer::parseRemoteArtifactPath(text));
}

/// Parses the address of a collection or version. @throws std::runtime_error for a project alone.
RemoteArtifactPath collectionOf(const std::string& text) {
  RemoteArtifactPath address = addressOf(text);
  if (address.collection.empty()) {
    throw std::runtime_error(text + " is not a collection: add /NAME");
  }
  return address;
}

json::Document documentOf(std::string body) {
  auto parsed = json::Document::parse(std::move(body));
  auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isObject()) {
    throw std::runtime_error("the server's response is not that of an artifact store");
  }
  return std::move(*document);
}

std::vector<Cell> versionRow(const Node& version) {
  const std::optional<Node> size = version.find("size");
  const std::int64_t bytes =
      size && size->kind() == json::Kind::kInteger ? size->integer().value_or(0) : 0;
  return {"v" + memberText(version, "version_index"),
          memberText(version, "id"),
          memberText(version, "file_count"),
          sizeText(bytes),
          memberList(version, "aliases"),
          memberList(version, "tags"),
          memberText(version, "created_at")};
}

std::vector<Cell> collectionRow(const Node& collection) {
  return {memberText(collection, "name"), memberText(collection, "type"),
          memberText(collection, "kind"), memberList(collection, "tags"),
          memberText(collection, "created_at")};
}

/// Executes one command on the server.
class ArtifactCommandRunner {
 public:
  explicit ArtifactCommandRunner(const transfer::ServerAddress& address)
      : server_(address), progress_(stderr, ::isatty(STDERR_FILENO) != 0, ProgressUnit::kBytes) {}

  CommandOutput operator()(const PutArtifact& command) {
    const transfer::PutArtifactOutcome outcome =
        orFail(transfer::putArtifact(server_, progress_,
                                     {.to = collectionOf(command.target),
                                      .type = command.type,
                                      .inputs = command.inputs,
                                      .aliases = command.aliases,
                                      .tags = command.tags,
                                      .description = command.description}));
    const std::string name = fmt::format("{}:v{}", command.target, outcome.index);
    const std::string content =
        fmt::format("{}, {}", counted(outcome.files, "file"), sizeText(outcome.bytes));
    if (outcome.already_existed)
      return {.text = fmt::format("{} already has this content ({}).\n", name, content)};
    return {.text = fmt::format("{} ({}): {}; {} sent.\n", name, outcome.id, content,
                                sizeText(outcome.sent_bytes))};
  }

  CommandOutput operator()(const GetArtifact& command) {
    const transfer::GetArtifactOutcome outcome = orFail(
        transfer::getArtifact(server_, progress_, collectionOf(command.source), command.output));
    std::string text =
        fmt::format("{}: {}, {}; {} downloaded, all verified.", command.output,
                    counted(outcome.files, "file"), sizeText(outcome.bytes), outcome.fetched_files);
    if (outcome.references > 0) {
      text += fmt::format(" Skipped {}: the content is stored elsewhere.",
                          counted(outcome.references, "reference"));
    }
    return {.text = text + "\n"};
  }

  CommandOutput operator()(const ListArtifacts& command) {
    const RemoteArtifactPath place = addressOf(command.place);
    const bool versions = !place.collection.empty();
    Table table;
    table.headings = versions ? std::vector<std::string>{"version", "id",   "files",  "size",
                                                         "aliases", "tags", "created"}
                              : std::vector<std::string>{"name", "type", "kind", "tags", "created"};
    const std::string path =
        versions ? place.collectionPath() + "/versions" : place.parentPath() + "/collections";
    std::string cursor;
    do {
      const json::Document page = documentOf(
          orFail(server_.get(path + "?limit=200&cursor=" + http::percentEncode(cursor))));
      const std::optional<Node> items = page.root().find("items");
      if (!items || !items->isArray()) break;
      for (const Node item : *items) {
        table.rows.push_back(versions ? versionRow(item) : collectionRow(item));
      }
      cursor = memberText(page.root(), "next_cursor");
    } while (!cursor.empty());
    const std::string text = command.json ? renderJsonLines(table) : renderText(table);
    return {.text = text.empty() ? "\n" : text};
  }

  CommandOutput operator()(const AliasArtifact& command) {
    const std::string path = collectionOf(command.version).versionPath() + "/aliases/" +
                             http::percentEncode(command.alias);
    if (command.remove) {
      orFail(server_.remove(path));
      return {.text =
                  fmt::format("{} no longer has the alias {}.\n", command.version, command.alias)};
    }
    orFail(server_.put(path));
    return {.text = fmt::format("{} now has the alias {}.\n", command.version, command.alias)};
  }

  CommandOutput operator()(const LinkArtifact& command) {
    const json::Document linked = documentOf(orFail(
        server_.post(collectionOf(command.target).collectionPath() + "/links",
                     jsonObject({{"source", command.source}, {"aliases", command.aliases}}))));
    return {.text = fmt::format("Linked {} as {}:v{}.\n", memberText(linked.root(), "source"),
                                command.target, memberText(linked.root(), "version_index"))};
  }

 private:
  transfer::ArtifactApiClient server_;
  ConsoleProgress progress_;
};

}  // namespace

int runGroup(const config::Loaded& loaded, const ArtifactCommand& command) {
  return runOnServer<ArtifactCommandRunner>(loaded, command);
}

}  // namespace spindle::app
