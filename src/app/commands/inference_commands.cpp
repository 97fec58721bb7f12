#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "app/commands/command_groups.h"
#include "app/commands/command_output.h"
#include "app/commands/console_progress.h"
#include "app/commands/json_object.h"
#include "app/commands/server_command.h"
#include "app/commands/standard_input.h"
#include "app/commands/table.h"
#include "base/crypto/crypto.h"
#include "base/process/file_source.h"
#include "config/value.h"
#include "http/message/uri.h"

namespace spindle::app {
namespace {

using http::Method, http::percentEncode;
using json::Document, json::Node;

/// Model names may contain slashes, which stay unencoded in the path.
std::string modelPath(const std::string& name) { return "/models/" + percentEncode(name, "/:@"); }

/// Returns a number as JSON, or `null` for `none`. Nothing if the flag was not given.
std::optional<json::Text> numberOrNone(std::string_view flag,
                                       const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  if (*text == "none") return json::Text{"null"};
  double number = 0;
  const char* const last = text->data() + text->size();
  const auto [end, error] = std::from_chars(text->data(), last, number);
  if (error != std::errc() || end != last || !std::isfinite(number)) {
    throw std::runtime_error(
        fmt::format("{}: expected a number or none, but found \"{}\"", flag, *text));
  }
  return json::Text{json::shortestNumber(number)};
}

/// Returns the milliseconds of a duration. Nothing if the flag was not given.
std::optional<std::int64_t> millisecondsIn(std::string_view flag,
                                           const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto duration = config::parseDuration(*text);
  if (!duration || duration->count() < 1) {
    throw std::runtime_error(
        fmt::format("{}: expected a time such as 30s, but found \"{}\"", flag, *text));
  }
  return duration->count();
}

/// Returns the API key that the flags name. Nothing without a key.
std::optional<std::string> keyOf(const AddUpstream& command) {
  if (command.key_from_input) {
    std::string key = withoutLineEnd(standardInput());
    return key.empty() ? std::nullopt : std::optional(std::move(key));
  }
  if (!command.key_variable) return std::nullopt;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the program does not change its environment
  const char* const value = std::getenv(command.key_variable->c_str());
  if (value == nullptr || *value == '\0') {
    throw std::runtime_error(fmt::format("--key-env: {} is not set", *command.key_variable));
  }
  return value;
}

/// Returns the values of --upstream and --tier as targets of the API.
std::vector<json::Text> targetsOf(const AddModel& command) {
  std::vector<json::Text> targets;
  for (std::size_t i = 0; i < command.upstreams.size(); ++i) {
    const std::string& given = command.upstreams[i];
    const std::size_t equals = given.find('=');
    std::optional<std::string> model;
    if (equals != std::string::npos) model = given.substr(equals + 1);
    std::optional<std::int64_t> tier;
    if (i < command.tiers.size()) tier = command.tiers[i];
    targets.push_back(
        {jsonObject({{"upstream", given.substr(0, equals)}, {"model", model}, {"tier", tier}})});
  }
  return targets;
}

/// Returns the path of the file of a model, or its digest if it is in the file store.
std::string fileOf(const Node& model) {
  const std::string digest = memberText(model, "file_sha256");
  return digest.empty() ? memberText(model, "file") : "sha256:" + digest.substr(0, 12);
}

/// Returns the model targets of a row of the model list: upstreams, or the file.
std::string sourcesOf(const Node& model) {
  const std::optional<Node> targets = model.find("targets");
  if (!targets || !targets->isArray()) return {};
  std::string text;
  for (const Node target : *targets) {
    const std::string upstream = memberText(target, "upstream");
    std::string place = upstream.empty() ? fileOf(model) : upstream;
    if (const std::string name = memberText(target, "model"); !name.empty()) place += "=" + name;
    text += (text.empty() ? "" : ", ") + place;
  }
  return text;
}

/// Returns a rounded number of a usage row, or `-`.
std::string figure(const Node& row, std::string_view part, std::string_view member) {
  const std::optional<Node> whole = row.find(part);
  if (!whole || !whole->isObject()) return "-";
  return fmt::format("{:.0f}", whole->find(member)->number());
}

/// Executes one command on the server.
class InferenceCommandRunner : public ManagementRunner {
 public:
  using ManagementRunner::ManagementRunner;

  CommandOutput operator()(const AddModel& command) {
    if (command.tiers.size() > command.upstreams.size()) {
      throw std::runtime_error("--tier: more values than --upstream");
    }
    // A relative path refers to the folder of this command, not to that of the server.
    std::optional<std::string> file;
    if (command.file && !command.upload) file = std::filesystem::absolute(*command.file).string();
    if (command.upload) fileSize(*command.file);
    std::optional<std::string> folder;
    if (command.folder) folder = std::filesystem::absolute(*command.folder).string();
    const Document made =
        api_.ask(Method::kPost, "/models",
                 jsonObject({{"name", command.name},
                             {"file", file},
                             {"upload", onlyIf(command.upload, true)},
                             {"folder", folder},
                             {"context", command.context},
                             {"max_output_tokens", command.max_output},
                             {"owned_by", command.owned_by},
                             {"start_at_boot", onlyIf(command.start_at_boot, true)},
                             {"abilities", listIfAny(command.abilities)},
                             {"fallbacks", listIfAny(command.fallbacks)},
                             {"teams", listIfAny(command.teams)},
                             {"targets", listIfAny(targetsOf(command))}}));
    if (!command.upload) return shown(made, command.name + " is added.\n");
    try {
      return shown(uploadModel(command.name, *command.file), command.name + " is added.\n");
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(
          fmt::format("{}\n{} is added without its file: try `spindle model "
                      "upload {} {}`",
                      error.what(), command.name, command.name, *command.file));
    }
  }

  CommandOutput operator()(const UploadModel& command) {
    return shown(uploadModel(command.name, command.file), command.name + " has a new file.\n");
  }

  CommandOutput operator()(const ListModels& /*command*/) {
    CommandOutput outcome;
    outcome.table.headings = {"name", "answered_by", "abilities", "fallbacks", "teams"};
    api_.each("/models", [&](const Node& model) {
      const std::optional<Node> teams = model.find("teams");
      outcome.table.rows.push_back(
          {memberText(model, "name"), sourcesOf(model), memberList(model, "abilities"),
           memberList(model, "fallbacks"),
           teams && teams->isArray() ? memberList(model, "teams") : std::string("all")});
    });
    return outcome;
  }

  CommandOutput operator()(const ShowModel& command) {
    return jsonOutput(api_.ask(Method::kGet, modelPath(command.name)));
  }

  CommandOutput operator()(const RemoveModel& command) {
    api_.ask(Method::kDelete, modelPath(command.name) + (command.force ? "?force=true" : ""));
    return {.text = command.name + " is removed.\n"};
  }

  CommandOutput operator()(const ListEngines& /*command*/) {
    CommandOutput outcome;
    outcome.table.headings = {"model",  "state",    "progress", "pid",   "memory_bytes",
                              "leases", "adapters", "restarts", "since", "last_error"};
    api_.each("/engines", [&](const Node& engine) {
      const auto integer = [&engine](const char* member) {
        return Cell::integer(static_cast<std::int64_t>(engine.find(member)->number()));
      };
      const Node pid = *engine.find("pid");
      const std::string error = memberText(engine, "last_error");
      outcome.table.rows.push_back(
          {memberText(engine, "model"), memberText(engine, "state"),
           Cell::number(engine.find("progress")->number()),
           pid.isNull() ? Cell(std::optional<std::string>()) : integer("pid"),
           integer("memory_bytes"), integer("leases"),
           Cell::integer(static_cast<std::int64_t>(engine.find("adapters")->size())),
           integer("restarts"), memberText(engine, "since"),
           error.empty() ? Cell(std::optional<std::string>()) : Cell(error)});
    });
    return outcome;
  }

  CommandOutput operator()(const UnloadEngine& command) {
    const Document engine =
        api_.ask(Method::kPost, "/engines/" + percentEncode(command.model) + "/unload");
    const bool waits = memberText(engine.root(), "state") == "draining";
    return shown(engine, command.model + (waits ? " stops when its running requests are complete.\n"
                                                : " is stopping.\n"));
  }

  CommandOutput operator()(const ListQuarantine& /*command*/) {
    CommandOutput outcome;
    outcome.table.headings = {"id", "artifact", "model", "reason", "created_at"};
    api_.each("/quarantined-adapters", [&](const Node& adapter) {
      outcome.table.rows.push_back({memberText(adapter, "id"), memberText(adapter, "artifact"),
                                    memberText(adapter, "model"), memberText(adapter, "reason"),
                                    memberText(adapter, "created_at")});
    });
    return outcome;
  }

  CommandOutput operator()(const ReleaseAdapter& command) {
    api_.ask(Method::kDelete, "/quarantined-adapters/" + percentEncode(command.id));
    return {.text = command.id + " is released from quarantine.\n"};
  }

  CommandOutput operator()(const AddUpstream& command) {
    const Document made = api_.ask(
        Method::kPost, "/upstreams",
        jsonObject(
            {{"name", command.name},
             {"url", command.address},
             {"key", keyOf(command)},
             {"connect_timeout_ms", millisecondsIn("--connect-timeout", command.connect_timeout)},
             {"first_token_timeout_ms",
              millisecondsIn("--first-token-timeout", command.first_token_timeout)},
             {"idle_timeout_ms", millisecondsIn("--idle-timeout", command.idle_timeout)},
             {"health_path", command.health_path},
             {"stream_usage", onlyIf(command.no_stream_usage, false)},
             {"adapters", command.adapters},
             {"adapter_path", command.adapter_path},
             {"adapter_receiver", command.adapter_receiver},
             {"max_adapters", command.max_adapters},
             {"adapter_load_timeout_ms",
              millisecondsIn("--adapter-load-timeout", command.adapter_load_timeout)}}));
    return shown(made, command.name + " is added; `spindle upstream test " + command.name +
                           "` lists its models.\n");
  }

  CommandOutput operator()(const ListUpstreams& /*command*/) {
    CommandOutput outcome;
    outcome.table.headings = {"name", "url", "has_key"};
    api_.each("/upstreams", [&](const Node& upstream) {
      outcome.table.rows.push_back({memberText(upstream, "name"), memberText(upstream, "url"),
                                    Cell::boolean(upstream.find("has_key")->boolean())});
    });
    return outcome;
  }

  CommandOutput operator()(const ShowUpstream& command) {
    return jsonOutput(api_.ask(Method::kGet, "/upstreams/" + percentEncode(command.name)));
  }

  CommandOutput operator()(const RemoveUpstream& command) {
    api_.ask(Method::kDelete,
             "/upstreams/" + percentEncode(command.name) + (command.force ? "?force=true" : ""));
    return {.text = command.name + " is removed.\n"};
  }

  CommandOutput operator()(const TestUpstream& command) {
    const Document report =
        api_.ask(Method::kPost, "/upstreams/" + percentEncode(command.name) + "/test");
    if (json_) return jsonOutput(report);
    const Node root = report.root();
    if (!root.find("success")->boolean()) {
      const std::string status = memberText(root, "status");
      throw std::runtime_error(command.name +
                               (status.empty() ? ": " : " responded with " + status + ": ") +
                               memberText(root, "error"));
    }
    std::string text =
        fmt::format("{} responded in {} ms\n", command.name, memberText(root, "duration_ms"));
    const Node models = *root.find("models");
    for (const Node name : models) text += "  " + name.text() + "\n";
    return {.text = text};
  }

  CommandOutput operator()(const ListUpstreamAdapters& command) {
    CommandOutput outcome;
    outcome.table.headings = {"name", "artifact", "requests"};
    const Document page =
        api_.ask(Method::kGet, "/upstreams/" + percentEncode(command.name) + "/adapters");
    const Node adapters = *page.root().find("items");
    for (const Node adapter : adapters) {
      outcome.table.rows.push_back(
          {memberText(adapter, "name"), memberText(adapter, "artifact"),
           Cell::integer(adapter.find("requests")->integer().value_or(0))});
    }
    return outcome;
  }

  CommandOutput operator()(const SetLimit& command) {
    const std::string known = limitId(command.subject);
    std::string body = jsonObject(
        {{isProject(command.subject) ? "project" : "key", onlyIf(known.empty(), command.subject)},
         {"concurrency", numberOrNone("--concurrency", command.concurrency)},
         {"requests_per_minute", numberOrNone("--requests", command.requests)},
         {"tokens_per_minute", numberOrNone("--tokens", command.tokens)},
         {"budget_usd", numberOrNone("--budget", command.budget)},
         {"period", command.period}});
    const Document made = known.empty()
                              ? api_.ask(Method::kPost, "/limits", std::move(body))
                              : api_.ask(Method::kPatch, "/limits/" + known, std::move(body));
    return shown(made, command.subject + " has the new limits.\n");
  }

  CommandOutput operator()(const ListLimits& /*command*/) {
    CommandOutput outcome;
    outcome.table.headings = {
        "subject",           "owner",      "concurrency", "requests_per_minute",
        "tokens_per_minute", "budget_usd", "period",      "spent_usd"};
    const auto cell = [](const Node& limit, std::string_view member) -> Cell {
      const std::optional<Node> value = limit.find(member);
      if (!value || value->isNull()) return std::optional<std::string>();
      if (const auto count = value->kind() == json::Kind::kInteger
                                 ? value->integer()
                                 : std::optional<std::int64_t>()) {
        return Cell::integer(*count);
      }
      return value->isNumber() ? Cell::number(value->number()) : Cell(value->text());
    };
    api_.each("/limits", [&](const Node& limit) {
      outcome.table.rows.push_back(
          {cell(limit, limit.find("project")->isNull() ? "key" : "project"), cell(limit, "owner"),
           cell(limit, "concurrency"), cell(limit, "requests_per_minute"),
           cell(limit, "tokens_per_minute"), cell(limit, "budget_usd"), cell(limit, "period"),
           cell(limit, "spent_usd")});
    });
    return outcome;
  }

  CommandOutput operator()(const RemoveLimit& command) {
    const std::string id = limitId(command.subject);
    if (id.empty()) throw std::runtime_error(command.subject + " has no limit");
    api_.ask(Method::kDelete, "/limits/" + id);
    return {.text = command.subject + " has no limits any more.\n"};
  }

  CommandOutput operator()(const ShowUsage& command) {
    std::string path = "/usage?limit=10000";
    if (command.by != "total") path += "&group_by=" + percentEncode(command.by);
    for (const auto& [name, value] :
         {std::pair("&from=", &command.from), std::pair("&to=", &command.to),
          std::pair("&project=", &command.project), std::pair("&model=", &command.model),
          std::pair("&user=", &command.user), std::pair("&key=", &command.api_key)}) {
      if (*value) path += name + percentEncode(**value);
    }
    const Document usage = api_.ask(Method::kGet, path);
    if (json_) return jsonOutput(usage);
    CommandOutput outcome;
    const Node group_by = *usage.root().find("group_by");
    for (const Node key : group_by) {
      outcome.table.headings.push_back(key.text());
    }
    const std::size_t keys = outcome.table.headings.size();
    for (const char* heading : {"requests", "errors", "prompt", "cached", "completion", "cost_usd",
                                "p50_ms", "p95_ms", "first_token_p50_ms"}) {
      outcome.table.headings.emplace_back(heading);
    }
    const Node items = *usage.root().find("items");
    for (const Node row : items) {
      std::vector<Cell> cells;
      for (std::size_t i = 0; i < keys; ++i) {
        cells.emplace_back(memberText(row, outcome.table.headings[i]));
      }
      for (const char* member :
           {"requests", "errors", "prompt_tokens", "cached_tokens", "completion_tokens"}) {
        cells.emplace_back(memberText(row, member));
      }
      cells.emplace_back(fmt::format("{:.6f}", row.find("cost_usd")->number()));
      cells.emplace_back(figure(row, "latency_ms", "p50"));
      cells.emplace_back(figure(row, "latency_ms", "p95"));
      cells.emplace_back(figure(row, "first_token_ms", "p50"));
      outcome.table.rows.push_back(std::move(cells));
    }
    if (usage.root().find("has_more")->boolean()) {
      outcome.text = "The table is incomplete: narrow it down with --from, --project or --model.\n";
    }
    return outcome;
  }

 private:
  static std::uint64_t fileSize(const std::string& file) {
    std::error_code failed;
    const std::uintmax_t size = std::filesystem::file_size(file, failed);
    if (failed) throw std::runtime_error(file + ": " + failed.message());
    return size;
  }

  /// Returns the SHA-256 of a file, in hexadecimal digits.
  static std::string digestOf(const std::string& file, std::uint64_t size) {
    const FileSource source(file);
    Sha256Stream digest;
    for (std::uint64_t at = 0; at < size;) {
      constexpr std::uint64_t kPiece = 1UL << 20;
      const Result<std::string> piece = source.read(at, std::min(kPiece, size - at));
      if (!piece) throw std::runtime_error(piece.error().message());
      digest.add(*piece);
      at += piece->size();
    }
    return toHex(digest.finish());
  }

  /// Sends the file of a model. @return the changed model.
  Document uploadModel(const std::string& name, const std::string& file) {
    const std::uint64_t size = fileSize(file);
    ConsoleProgress progress(stderr, ::isatty(STDERR_FILENO) != 0, ProgressUnit::kBytes);
    const std::string path =
        "/model-files/" + percentEncode(name, "/:@") + "?sha256=" + digestOf(file, size);
    progress.begin(0, static_cast<std::int64_t>(size));
    return api_.upload(path, file, size, [&progress](std::uint64_t sent) {
      progress.update(static_cast<std::int64_t>(sent));
    });
  }

  static bool isProject(const std::string& subject) {
    return subject.find('/') != std::string::npos;
  }

  /// Returns the id of the limit of a project or key; empty when there is none.
  std::string limitId(const std::string& subject) {
    std::string id;
    api_.each(
        "/limits?" + std::string(isProject(subject) ? "project=" : "key=") + percentEncode(subject),
        [&id](const Node& limit) { id = memberText(limit, "id"); });
    return id;
  }
};

}  // namespace

int runGroup(const config::Loaded& loaded, const InferenceCommand& command) {
  return runOnServer<InferenceCommandRunner>(loaded, command);
}

}  // namespace spindle::app
