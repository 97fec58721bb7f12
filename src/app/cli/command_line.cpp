#include "app/cli/command_line.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include "app/cli/automation_grammar.h"
#include "app/cli/backup_grammar.h"
#include "app/cli/command_builder.h"
#include "app/cli/help.h"
#include "app/cli/inference_grammar.h"
#include "app/cli/training_grammar.h"
#include "config/declarations.h"
#include "config/nearest.h"

namespace spindle::app {
namespace {

/// Converts `member` to `MEMBER`, the stored form of a role. @return the problem, or nothing.
std::string toRole(std::string& text) {
  std::string role = text;
  for (char& c : role) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  if (role != "ADMIN" && role != "MEMBER" && role != "VIEWER") {
    return fmt::format("expected admin, member or viewer, but found \"{}\"", text);
  }
  text = role;
  return {};
}

/// @return the problem, or nothing.
std::string checkFormat(const std::string& text) {
  if (text == "jsonl" || text == "parquet") return {};
  return fmt::format("expected jsonl or parquet, but found \"{}\"", text);
}

bool isProject(const std::string& text) {
  const std::size_t slash = text.find('/');
  return slash != std::string::npos && slash > 0 && slash + 1 < text.size() &&
         text.find('/', slash + 1) == std::string::npos;
}

Error notAProject(const std::string& text) {
  return Error::invalidArgument(
      fmt::format("--project: expected ENTITY/PROJECT, but found \"{}\"", text));
}

std::string pathOf(const CLI::App* app) {
  return app->get_parent() == nullptr ? "spindle"
                                      : pathOf(app->get_parent()) + " " + app->get_name();
}

/// The grammar of the command line and the parsed values. One object parses one command line.
class Grammar {
 public:
  Grammar() {
    root_.name("spindle");
    root_.set_help_flag("-h,--help", "Print this text");
    root_.allow_extras();
    root_.fallthrough();
    root_.require_subcommand(0, 1);
    root_.get_formatter()->column_width(34);
    root_.get_formatter()->label("REQUIRED", "(required)");
    root_.add_flag("--version", version_, "Print the version");
    root_.add_option("--config", config_file_, "Settings file (TOML)");
    addSettings();
    addServerCommands();
    addUserCommands();
    addTeamCommands();
    addKeyCommands();
    addPriceCommands();
    addTraceCommands();
    addArtifactCommands();
    addModelCommands();
    automation_.addTo(builder<AutomationCommand>());
    inference_.addTo(builder<InferenceCommand>());
    training_.addTo(builder<TrainingCommand>());
    backup_.addTo(builder<BackupCommand>());
  }
  Grammar(const Grammar&) = delete;
  Grammar& operator=(const Grammar&) = delete;

  Result<CommandLine> parse(const std::vector<std::string>& arguments) {
    try {
      root_.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::CallForHelp&) {
      return finish(HelpCommand{helpOf(selectedCommand())});
    } catch (const CLI::ParseError& error) {
      // Report unknown flags first: a mistyped flag often causes the missing value.
      if (!root_.remaining(true).empty()) return unexpectedArguments();
      return Error::invalidArgument(explain(error));
    }
    if (!root_.remaining(true).empty()) return unexpectedArguments();
    if (version_) return finish(VersionCommand{});
    CLI::App* chosen = selectedCommand();
    if (chosen == &root_) return finish(HelpCommand{helpOf(chosen)});
    for (const Leaf& leaf : leaves_) {
      if (leaf.app != chosen) continue;
      Command command = TRY(leaf.make());
      return finish(std::move(command));
    }
    return Error::invalidArgument(
        fmt::format("`{}` needs one of: {}", pathOf(chosen), listed(namesBelow(chosen))));
  }

 private:
  struct Leaf {
    CLI::App* app;
    std::function<Result<Command>()> make;
  };

  CLI::App* group(const std::string& name, const std::string& text) {
    CLI::App* app = root_.add_subcommand(name, text);
    app->require_subcommand(0, 1);
    return app;
  }

  CLI::App* leaf(CLI::App* parent,
                 const std::string& name,
                 const std::string& text,
                 std::function<Result<Command>()> make) {
    CLI::App* app = parent->add_subcommand(name, text);
    leaves_.push_back({app, std::move(make)});
    return app;
  }

  template <class Action>
  CLI::App* identityLeaf(CLI::App* parent,
                         const std::string& name,
                         const std::string& text,
                         Action& action) {
    CLI::App* app = leaf(parent, name, text, [this, &action]() -> Result<Command> {
      return Command(IdentityCommand{action, json_});
    });
    app->add_flag("--json", json_, "Print JSON instead of a table");
    return app;
  }

  void addSettings() {
    for (const config::Setting& setting : config::declarations()) {
      if (setting.flag.empty()) continue;
      CLI::Option* option = nullptr;
      if (setting.is_boolean) {
        const std::string names = setting.flag + "," + setting.negatedFlag() + "{false}";
        option = root_.add_flag(names)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
      } else {
        option = root_.add_option(setting.flag)->expected(1);
        if (setting.is_list) option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      }
      settings_.emplace_back(setting.key, option);
    }
  }

  void addServerCommands() {
    leaf(&root_, "serve", "Start the server.", [this] { return Command(serve_); })
        ->add_flag("--start-empty", serve_.start_empty,
                   "Move the content of the data folder to set-aside-TIME and start empty");
    CLI::App* config = group("config", "Print and check the settings.");
    leaf(config, "show", "Print every setting with its value and its source.", [this] {
      return Command(ShowConfigCommand{json_});
    })->add_flag("--json", json_, "Print JSON instead of TOML");
    leaf(config, "check", "Check the settings without starting the server.",
         [] { return Command(CheckConfigCommand{}); });
    leaf(config, "docs", "Print the reference of all settings, as Markdown.",
         [] { return Command(PrintReferenceCommand{}); });
    leaf(&root_, "doctor", "Check this machine and print a fix for each problem.", [this] {
      return Command(DoctorCommand{json_});
    })->add_flag("--json", json_, "Print JSON instead of lines");
    leaf(&root_, "version", "Print the version.", [] { return Command(VersionCommand{}); });
    leaf(&root_, "help", "Print the overview.",
         [this] { return Command(HelpCommand{helpOf(&root_)}); });
  }

  void addUserCommands() {
    CLI::App* user = group("user", "Manage users.");
    CLI::App* create = identityLeaf(user, "create", "Create a user.", create_user_);
    addPositional(create, "USERNAME", create_user_.username, "Username");
    create->add_option("--email", create_user_.email, "E-mail address")
        ->required()
        ->type_name("EMAIL");
    create->add_option("--name", create_user_.name, "Full name")->type_name("NAME");
    create->add_flag("--admin", create_user_.admin, "Make the user an organization admin");
    identityLeaf(user, "list", "List all users.", list_users_);
  }

  void addTeamCommands() {
    CLI::App* team = group("team", "Manage teams and their members.");
    CLI::App* create = identityLeaf(team, "create", "Create a team.", create_team_);
    addPositional(create, "NAME", create_team_.name, "Name of the team");
    create->add_option("--admin", create_team_.admin, "Username of the first team admin")
        ->type_name("USER");
    identityLeaf(team, "list", "List all teams.", list_teams_);
    CLI::App* remove = identityLeaf(team, "delete", "Delete a team.", delete_team_);
    addPositional(remove, "NAME", delete_team_.name, "Name of the team");
    remove->add_flag("--force", delete_team_.force, "Delete the team's projects too");

    CLI::App* add = identityLeaf(team, "add-member",
                                 "Add a user to a team, or change the user's role.", add_member_);
    addPositional(add, "TEAM", add_member_.team, "Name of the team");
    addPositional(add, "USER", add_member_.username, "Username");
    add->add_option("--role", add_member_.role, "admin, member or viewer")
        ->transform(CLI::Validator(toRole, "", "role"))
        ->type_name("ROLE")
        ->default_str("member");
    CLI::App* drop =
        identityLeaf(team, "remove-member", "Remove a user from a team.", remove_member_);
    addPositional(drop, "TEAM", remove_member_.team, "Name of the team");
    addPositional(drop, "USER", remove_member_.username, "Username");
    CLI::App* members = identityLeaf(team, "members", "List the members of a team.", list_members_);
    addPositional(members, "TEAM", list_members_.team, "Name of the team");
  }

  void addKeyCommands() {
    CLI::App* key = group("key", "Manage API keys.");
    CLI::App* create =
        leaf(key, "create", "Create an API key and print it once.", [this]() -> Result<Command> {
          if (expires_) {
            Expiry expiry = TRY(parseExpiry(*expires_));
            create_key_.expires = expiry;
          }
          return Command(IdentityCommand{create_key_, json_});
        });
    create->add_option("--user", create_key_.username, "Username of the owner")
        ->required()
        ->type_name("USER");
    create->add_option("--name", create_key_.name, "Name of the key, such as its purpose")
        ->required()
        ->type_name("NAME");
    create->add_option("--expires", expires_, "When the key expires: 90d, 12h or a date")
        ->type_name("WHEN");
    create->add_flag("--json", json_, "Print JSON instead of a table");
    CLI::App* list = identityLeaf(key, "list", "List API keys, without their secrets.", list_keys_);
    list->add_option("--user", list_keys_.username, "Only the keys of this user")
        ->type_name("USER");
    CLI::App* revoke = identityLeaf(key, "revoke", "Revoke an API key immediately.", revoke_key_);
    addPositional(revoke, "ID", revoke_key_.id, "Id of the key, as `spindle key list` prints it");
  }

  void addModelCommands() {
    CLI::App* model =
        group("model", "Manage the models that clients request, and convert model files.");
    CLI::App* import = leaf(model, "import", "Convert a Hugging Face folder to a GGUF file.",
                            [this] { return Command(import_model_); });
    import->footer(modelImportHelp());
    addPositional(import, "FOLDER", import_model_.folder,
                  "With config.json, tokenizer.json, *.safetensors");
    addPositional(import, "FILE", import_model_.file, "The GGUF file to write");
    import->add_option("--name", import_model_.name, "Name of the model")->type_name("NAME");
    import->add_option("--type", import_model_.type, "Data type of matrices; unchanged if omitted")
        ->type_name("f32|f16|bf16|q8_0")
        ->check(CLI::IsMember({"f32", "f16", "bf16", "q8_0"}));
  }

  void addPriceCommands() {
    CLI::App* prices = group("prices", "Manage the default token prices of all projects.");
    CLI::App* import = leaf(
        prices, "import", "Import default prices from a JSON file.", [this]() -> Result<Command> {
          if (price_date_) {
            const ParsedTimestamp date = parseTimestamp(*price_date_);
            if (!date || price_date_->find('-') == std::string::npos)
              return Error::invalidArgument(fmt::format(
                  "--date: expected a date such as 2026-12-31, but found \"{}\"", *price_date_));
            import_prices_.date = *date.value;
          }
          return Command(PriceCommand{import_prices_, json_});
        });
    addPositional(import, "FILE", import_prices_.file,
                  "JSON map from model to input_cost_per_token, output_cost_per_token, ...");
    import->add_option("--date", price_date_, "Date from which the prices apply; today if omitted")
        ->type_name("DATE");
    import->add_flag("--dry-run", import_prices_.dry_run, "Print the changes without storing them");
    import->add_flag("--json", json_, "Print JSON instead of a table");
    CLI::App* list = leaf(prices, "ls", "List the default prices, built in and imported.", [this] {
      return Command(PriceCommand{list_prices_, json_});
    });
    list->add_option("--model", list_prices_.model, "Only the prices of this model")
        ->type_name("MODEL");
    list->add_flag("--json", json_, "Print JSON instead of a table");
  }

  void addTraceCommands() {
    CLI::App* traces = group("traces", "Export calls to files, and import them.");
    CLI::App* out = leaf(traces, "export", "Export the calls of a project to files.",
                         [this]() -> Result<Command> { return exportCommand(); });
    traceOptions(out, export_traces_.project);
    out->add_option("--output", export_traces_.output,
                    "Folder for the files; an unfinished export in it is resumed")
        ->required()
        ->type_name("FOLDER");
    out->add_option("--format", export_traces_.format, "jsonl or parquet")
        ->check(CLI::Validator(checkFormat, "", "format"))
        ->type_name("FORMAT")
        ->default_str("jsonl");
    out->add_option("--from", from_, "Only calls that started at this time or later")
        ->type_name("TIME");
    out->add_option("--to", to_, "Only calls that started before this time")->type_name("TIME");
    out->add_option("--page", export_traces_.page, "Calls per file")
        ->check(CLI::Range(1, 10'000'000))
        ->type_name("N")
        ->default_str("50000");
    CLI::App* in = leaf(traces, "import", "Import exported calls into a project.",
                        [this]() -> Result<Command> { return importCommand(); });
    traceOptions(in, import_traces_.project);
    in->add_option("--input", import_traces_.input,
                   "Folder of an export, or a .jsonl or .parquet file")
        ->required()
        ->type_name("PATH");
    in->add_option("--state", import_traces_.state,
                   "File that stores the progress; next to the input if omitted")
        ->type_name("FILE");
    in->add_flag("--keep-refs", import_traces_.keep_refs,
                 "Keep references to the exported project unchanged");
    in->add_flag("--skip-bad", import_traces_.skip_bad,
                 "Skip and count invalid lines instead of stopping at the first one");
  }

  template <class Action>
  CLI::App* artifactLeaf(CLI::App* parent,
                         const std::string& name,
                         const std::string& text,
                         Action& action) {
    CLI::App* app = leaf(parent, name, text, [this, &action]() -> Result<Command> {
      return Command(ArtifactCommand{action, serverFlags()});
    });
    serverOptions(app);
    app->footer(artifactHelp(name));
    return app;
  }

  /// Returns the functions with which another grammar adds commands of type C.
  template <class C>
  CommandBuilder<C> builder() {
    return {.group =
                [this](const std::string& name, const std::string& text) {
                  for (CLI::App* known : root_.get_subcommands([](CLI::App*) { return true; })) {
                    if (known->get_name() == name) return known;
                  }
                  return group(name, text);
                },
            .leaf =
                [this](CLI::App* parent, const std::string& name, const std::string& text,
                       std::function<C()> make) {
                  CLI::App* app = leaf(parent == nullptr ? &root_ : parent, name, text,
                                       [make = std::move(make)] { return Command(make()); });
                  if constexpr (!std::is_same_v<C, BackupCommand>) serverOptions(app);
                  return app;
                },
            .server = [this] { return serverFlags(); }};
  }

  void addArtifactCommands() {
    CLI::App* artifact = group("artifact", "Upload, download, list, alias and link artifacts.");
    CLI::App* put = artifactLeaf(artifact, "put", "Upload files as a new version.", put_artifact_);
    addPositional(put, "TARGET", put_artifact_.target,
                  "ENTITY/PROJECT/NAME; created if it does not exist");
    put->add_option("INPUT", put_artifact_.inputs, "Files, or folders with all their files")
        ->required()
        ->type_name("");
    put->add_option("--type", put_artifact_.type, "Artifact type of a new collection")
        ->type_name("TYPE")
        ->default_str("dataset");
    put->add_option("--alias", put_artifact_.aliases, "Alias of the version; repeatable")
        ->type_name("ALIAS");
    put->add_option("--tag", put_artifact_.tags, "Tag of the version; repeatable")
        ->type_name("TAG");
    put->add_option("--description", put_artifact_.description, "Description of the version")
        ->type_name("TEXT");
    CLI::App* get =
        artifactLeaf(artifact, "get", "Download the files of a version.", get_artifact_);
    addPositional(get, "SOURCE", get_artifact_.source,
                  "ENTITY/PROJECT/NAME:VERSION; the newest version if omitted");
    get->add_option("--output", get_artifact_.output, "Destination folder")
        ->type_name("FOLDER")
        ->default_str(".");
    CLI::App* list = artifactLeaf(
        artifact, "ls", "List collections, or the versions of a collection.", list_artifacts_);
    addPositional(list, "PLACE", list_artifacts_.place,
                  "ENTITY/PROJECT, ENTITY/PROJECT/NAME or svc-registry-REGISTRY[/NAME]");
    list->add_flag("--json", list_artifacts_.json, "Print JSON instead of a table");
    CLI::App* alias =
        artifactLeaf(artifact, "alias", "Set or remove an alias of a version.", alias_artifact_);
    addPositional(alias, "VERSION", alias_artifact_.version, "ENTITY/PROJECT/NAME:VERSION");
    addPositional(alias, "ALIAS", alias_artifact_.alias, "Alias, such as production");
    alias->add_flag("--remove", alias_artifact_.remove, "Remove the alias from the version");
    CLI::App* link =
        artifactLeaf(artifact, "link", "Link a version to a registry.", link_artifact_);
    addPositional(link, "SOURCE", link_artifact_.source, "ENTITY/PROJECT/NAME:VERSION");
    addPositional(link, "TARGET", link_artifact_.target, "svc-registry-REGISTRY/NAME");
    link->add_option("--alias", link_artifact_.aliases, "Alias of the link; repeatable")
        ->type_name("ALIAS");
  }

  void traceOptions(CLI::App* app, std::string& project) {
    app->add_option("--project", project, "ENTITY/PROJECT")->required()->type_name("PROJECT");
    serverOptions(app);
  }

  void serverOptions(CLI::App* app) {
    app->add_option("--url", url_, "Server URL; the server that uses the data folder if omitted")
        ->type_name("URL");
    app->add_option("--key", key_, "API key, or @FILE; the administrator's key if omitted")
        ->type_name("KEY");
  }

  ServerFlags serverFlags() const { return {url_, Secret(key_)}; }

  Result<Command> exportCommand() {
    if (!isProject(export_traces_.project)) return notAProject(export_traces_.project);
    for (const auto& [flag, text, time] : {std::tuple("--from", &from_, &export_traces_.from),
                                           std::tuple("--to", &to_, &export_traces_.to)}) {
      if (!*text) continue;
      const ParsedTimestamp parsed = parseTimestamp(**text);
      if (!parsed || (*text)->find('-') == std::string::npos)
        return Error::invalidArgument(fmt::format(
            "{}: expected a time such as 2026-12-31T12:00:00Z, but found \"{}\"", flag, **text));
      *time = *parsed.value;
    }
    return Command(TraceCommand{export_traces_, serverFlags()});
  }

  Result<Command> importCommand() {
    if (!isProject(import_traces_.project)) return notAProject(import_traces_.project);
    return Command(TraceCommand{import_traces_, serverFlags()});
  }

  /// Returns the most specific command that the arguments name.
  CLI::App* selectedCommand() {
    CLI::App* app = &root_;
    while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
    return app;
  }

  std::string helpOf(CLI::App* app) const {
    if (app == &root_) return overviewHelp();
    const bool is_serve = app->get_parent() == &root_ && app->get_name() == "serve";
    std::string text = app->help(pathOf(app->get_parent()));
    while (text.ends_with("\n\n")) text.pop_back();
    return text + (is_serve ? serveHelp() : settingsHint());
  }

  static std::vector<std::string> namesBelow(const CLI::App* app) {
    std::vector<std::string> names;
    for (const CLI::App* sub : app->get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(sub->get_name());
    }
    return names;
  }

  static std::string listed(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return list;
  }

  /// Returns all flags of the selected command.
  std::vector<std::string> knownFlags() {
    std::vector<std::string> names;
    for (CLI::App* app = selectedCommand(); app != nullptr; app = app->get_parent()) {
      for (const CLI::Option* option : app->get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
      }
    }
    return names;
  }

  std::string unknownFlagMessage(const std::string& argument) {
    const std::string flag = argument.substr(0, argument.find('='));
    std::string nearest = config::nearestName(flag, knownFlags());
    const config::Setting* setting = config::nearestSetting(flag);
    if (nearest.empty() && setting != nullptr) {
      nearest = setting->flag;
      if (nearest.empty()) {
        return fmt::format("{}: not a flag: a secret does not belong on a command line; set {}",
                           flag, setting->environment);
      }
    }
    if (!nearest.empty()) return fmt::format("{}: unknown flag; did you mean {}?", flag, nearest);
    return fmt::format("{}: unknown flag; see `{} --help`", flag, pathOf(selectedCommand()));
  }

  std::string unknownArgumentMessage(const std::string& positional) {
    const CLI::App* chosen = selectedCommand();
    const std::vector<std::string> names = namesBelow(chosen);
    if (names.empty()) {
      return fmt::format("{}: unexpected argument; see `{} --help`", positional, pathOf(chosen));
    }
    const std::string nearest = config::nearestName(positional, names);
    if (nearest.empty()) {
      return fmt::format("{}: unknown command; `{}` takes one of: {}", positional, pathOf(chosen),
                         listed(names));
    }
    return fmt::format("{}: unknown command; did you mean `{} {}`?", positional, pathOf(chosen),
                       nearest);
  }

  /// Returns an error that lists all unknown flags and unexpected arguments.
  Error unexpectedArguments() {
    std::string lines;
    bool after_flag = false;
    for (const std::string& argument : root_.remaining(true)) {
      const bool is_flag = argument.starts_with('-') && argument != "-" && argument != "--";
      // The argument after an unknown flag is probably its value.
      if (is_flag || !after_flag) {
        lines += (lines.empty() ? "" : "\n") +
                 (is_flag ? unknownFlagMessage(argument) : unknownArgumentMessage(argument));
      }
      after_flag = is_flag && argument.find('=') == std::string::npos;
    }
    return Error::invalidArgument(std::move(lines));
  }

  std::string explain(const CLI::ParseError& error) {
    std::string what = error.what();
    if (error.get_name() == "ArgumentMismatch") {
      const bool repeated = what.find("At Most") != std::string::npos;
      what = what.substr(0, what.find(':')) +
             (repeated ? ": given more than once" : ": needs a value");
    }
    return fmt::format("{}; see `{} --help`", what, pathOf(selectedCommand()));
  }

  Result<CommandLine> finish(Command command) {
    CommandLine line;
    line.command = std::move(command);
    line.config_file = config_file_;
    for (const auto& [key, option] : settings_) {
      const std::vector<std::string> given = option->reduced_results();
      if (option->count() == 0) continue;
      for (const std::string& text : given) line.flags.push_back({key, text});
    }
    return line;
  }

  CLI::App root_;
  std::vector<Leaf> leaves_;
  std::vector<std::pair<std::string, CLI::Option*>> settings_;

  bool version_ = false;
  bool json_ = false;
  std::optional<std::string> config_file_;
  std::optional<std::string> expires_;
  ServeCommand serve_;
  CreateUser create_user_;
  ListUsers list_users_;
  CreateTeam create_team_;
  ListTeams list_teams_;
  DeleteTeam delete_team_;
  AddTeamMember add_member_;
  RemoveTeamMember remove_member_;
  ListTeamMembers list_members_;
  CreateKey create_key_;
  ListKeys list_keys_;
  RevokeKey revoke_key_;
  ImportPrices import_prices_;
  ListPrices list_prices_;
  std::optional<std::string> price_date_;
  ExportTraces export_traces_;
  ImportTraces import_traces_;
  PutArtifact put_artifact_;
  ModelCommand import_model_;
  GetArtifact get_artifact_;
  ListArtifacts list_artifacts_;
  AliasArtifact alias_artifact_;
  LinkArtifact link_artifact_;
  AutomationGrammar automation_;
  BackupGrammar backup_;
  InferenceGrammar inference_;
  TrainingGrammar training_;
  std::optional<std::string> from_;
  std::optional<std::string> to_;
  std::optional<std::string> url_;
  std::string key_;
};

}  // namespace

Result<CommandLine> parseCommandLine(const std::vector<std::string>& arguments) {
  Grammar grammar;
  return grammar.parse(arguments);
}

}  // namespace spindle::app
