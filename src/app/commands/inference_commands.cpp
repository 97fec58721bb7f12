#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/commands/command_groups.h"
#include "app/commands/command_output.h"
#include "app/commands/find_server.h"
#include "app/commands/management_client.h"
#include "app/commands/standard_input.h"
#include "app/commands/table.h"
#include "config/value.h"
#include "http/message/uri.h"
#include "json/writer.h"

namespace spindle::app {
namespace {

using http::Method, http::percentEncode;
using json::Document, json::Node;

/// Model names may contain slashes, which stay unencoded in the path.
std::string modelPath(const std::string& name) { return "/models/" + percentEncode(name, "/:@"); }

/// Returns a number as JSON, or `null` for `none`.
std::string numberOrNone(std::string_view flag, const std::string& text) {
  if (text == "none") return "null";
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
    throw std::runtime_error(
        fmt::format("{}: expected a number or none, but found \"{}\"", flag, text));
  }
  return json::shortestNumber(number);
}

/// Returns a duration as JSON: its milliseconds.
std::string millisecondsIn(std::string_view flag, const std::string& text) {
  const auto duration = config::parseDuration(text);
  if (!duration || duration->count() < 1) {
    throw std::runtime_error(
        fmt::format("{}: expected a time such as 30s, but found \"{}\"", flag, text));
  }
  return std::to_string(duration->count());
}

/// A flag, the member of a request body that it sets, and its value.
struct FlagMember {
  const char* flag;
  const char* member;
  const std::optional<std::string>& text;
};

/// Writes the members whose flags were given. `convert` returns the value of a flag as JSON.
void writeGiven(json::Writer& out,
                std::initializer_list<FlagMember> members,
                std::string (*convert)(std::string_view flag, const std::string& text)) {
  for (const FlagMember& given : members) {
    if (given.text) out.key(given.member).raw(convert(given.flag, *given.text));
  }
}

std::string keyOf(const AddUpstream& command) {
  if (command.key_from_input) return withoutLineEnd(standardInput());
  if (!command.key_variable) return {};
  const char* const value = std::getenv(command.key_variable->c_str());
  if (value == nullptr || *value == '\0') {
    throw std::runtime_error(fmt::format("--key-env: {} is not set", *command.key_variable));
  }
  return value;
}

/// Returns the model targets of a row of the model list: upstreams, or the file.
std::string sourcesOf(const Node& model) {
  const std::optional<Node> targets = model.find("targets");
  if (!targets || !targets->isArray()) return {};
  std::string text;
  for (const Node target : *targets) {
    const std::string upstream = memberText(target, "upstream");
    std::string place = upstream.empty() ? memberText(model, "file") : upstream;
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
class InferenceCommandRunner {
 public:
  InferenceCommandRunner(transfer::ServerAddress server, bool json)
      : api_(std::move(server)), json_(json) {}

  CommandOutput operator()(const AddModel& command) {
    if (command.tiers.size() > command.upstreams.size()) {
      throw std::runtime_error("--tier: more values than --upstream");
    }
    std::string body;
    json::Writer out(body);
    out.beginObject().key("name").string(command.name);
    // A relative path refers to the folder of this command, not to that of the server.
    if (command.file) out.key("file").string(std::filesystem::absolute(*command.file).string());
    if (command.context) out.key("context").integer(*command.context);
    if (command.max_output) out.key("max_output_tokens").integer(*command.max_output);
    if (command.owned_by) out.key("owned_by").string(*command.owned_by);
    if (command.start_at_boot) out.key("start_at_boot").boolean(true);
    writeTexts(out, "abilities", command.abilities);
    writeTexts(out, "fallbacks", command.fallbacks);
    writeTexts(out, "teams", command.teams);
    if (!command.upstreams.empty()) {
      out.key("targets").beginArray();
      for (std::size_t i = 0; i < command.upstreams.size(); ++i) {
        const std::string& given = command.upstreams[i];
        const std::size_t equals = given.find('=');
        out.beginObject().key("upstream").string(given.substr(0, equals));
        if (equals != std::string::npos) out.key("model").string(given.substr(equals + 1));
        if (i < command.tiers.size()) out.key("tier").integer(command.tiers[i]);
        out.endObject();
      }
      out.endArray();
    }
    out.endObject();
    const Document made = api_.ask(Method::kPost, "/models", std::move(body));
    return shown(made, command.name + " is added.\n");
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
    std::string body;
    json::Writer out(body);
    out.beginObject().key("name").string(command.name).key("url").string(command.address);
    if (const std::string key = keyOf(command); !key.empty()) out.key("key").string(key);
    writeGiven(out,
               {{"--connect-timeout", "connect_timeout_ms", command.connect_timeout},
                {"--first-token-timeout", "first_token_timeout_ms", command.first_token_timeout},
                {"--idle-timeout", "idle_timeout_ms", command.idle_timeout}},
               millisecondsIn);
    if (command.health_path) out.key("health_path").string(*command.health_path);
    if (command.no_stream_usage) out.key("stream_usage").boolean(false);
    out.endObject();
    const Document made = api_.ask(Method::kPost, "/upstreams", std::move(body));
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

  CommandOutput operator()(const SetLimit& command) {
    const std::string known = limitId(command.subject);
    std::string body;
    json::Writer out(body);
    out.beginObject();
    if (known.empty())
      out.key(isProject(command.subject) ? "project" : "key").string(command.subject);
    writeGiven(out,
               {{"--concurrency", "concurrency", command.concurrency},
                {"--requests", "requests_per_minute", command.requests},
                {"--tokens", "tokens_per_minute", command.tokens},
                {"--budget", "budget_usd", command.budget}},
               numberOrNone);
    if (command.period) out.key("period").string(*command.period);
    out.endObject();
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
  static bool isProject(const std::string& subject) {
    return subject.find('/') != std::string::npos;
  }

  static void writeTexts(json::Writer& out,
                         const char* member,
                         const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    out.key(member).beginArray();
    for (const std::string& text : texts) out.string(text);
    out.endArray();
  }

  CommandOutput shown(const Document& made, std::string line) const {
    return json_ ? jsonOutput(made) : CommandOutput{.text = std::move(line)};
  }

  /// Returns the id of the limit of a project or key; empty when there is none.
  std::string limitId(const std::string& subject) {
    std::string id;
    api_.each(
        "/limits?" + std::string(isProject(subject) ? "project=" : "key=") + percentEncode(subject),
        [&id](const Node& limit) { id = memberText(limit, "id"); });
    return id;
  }

  ManagementClient api_;
  const bool json_;
};

}  // namespace

int runGroup(const config::Loaded& loaded, const InferenceCommand& command) {
  return runAction<InferenceCommandRunner>(
      command.action, command.json, findServer(loaded.settings, command.server), command.json);
}

}  // namespace spindle::app
