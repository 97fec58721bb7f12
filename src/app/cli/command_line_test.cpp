#include "app/cli/command_line.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "app/server/version.h"
#include "config/declarations.h"

namespace spindle::app {
namespace {

using Arguments = std::vector<std::string>;

CommandLine parsed(const Arguments& arguments) {
  Result<CommandLine> line = parseCommandLine(arguments);
  EXPECT_TRUE(line.has_value()) << (line ? "" : line.error().message());
  return line ? *std::move(line) : CommandLine{};
}

std::string refused(const Arguments& arguments) {
  const Result<CommandLine> line = parseCommandLine(arguments);
  return line ? "(accepted)" : line.error().message();
}

std::string helpText(const Arguments& arguments) {
  const CommandLine line = parsed(arguments);
  const auto* help = std::get_if<HelpCommand>(&line.command);
  return help == nullptr ? "(not help)" : help->text;
}

template <class Action>
Action action(const Arguments& arguments) {
  const CommandLine line = parsed(arguments);
  const auto* identity = std::get_if<IdentityCommand>(&line.command);
  if (identity == nullptr || !std::holds_alternative<Action>(identity->action)) {
    ADD_FAILURE() << "another command";
    return {};
  }
  return std::get<Action>(identity->action);
}

template <class Expected>
bool is(const Arguments& arguments) {
  return std::holds_alternative<Expected>(parsed(arguments).command);
}

TEST(CommandLine, ParsesAllCommands) {
  EXPECT_TRUE(is<ServeCommand>({"serve"}));
  EXPECT_TRUE(is<ShowConfigCommand>({"config", "show"}));
  EXPECT_TRUE(is<CheckConfigCommand>({"config", "check"}));
  EXPECT_TRUE(is<PrintReferenceCommand>({"config", "docs"}));
  EXPECT_TRUE(is<DoctorCommand>({"doctor"}));
  EXPECT_TRUE(is<VersionCommand>({"version"}));
  EXPECT_TRUE(is<VersionCommand>({"--version"}));
  EXPECT_TRUE(std::get<DoctorCommand>(parsed({"doctor", "--json"}).command).json);
  EXPECT_TRUE(std::get<ShowConfigCommand>(parsed({"config", "show", "--json"}).command).json);
}

TEST(CommandLine, ImportsAndListsPrices) {
  const auto import = std::get<PriceCommand>(
      parsed({"prices", "import", "f.json", "--date", "2026-02-01", "--dry-run", "--json"})
          .command);
  EXPECT_TRUE(import.json);
  EXPECT_EQ(std::get<ImportPrices>(import.action).file, "f.json");
  EXPECT_EQ(std::get<ImportPrices>(import.action).date, *parseTimestamp("2026-02-01").value);
  EXPECT_TRUE(std::get<ImportPrices>(import.action).dry_run);
  EXPECT_NE(refused({"prices", "import", "f.json", "--date", "7"}).find("--date"),
            std::string::npos);
  const auto list = std::get<PriceCommand>(parsed({"prices", "ls", "--model", "gpt-4o"}).command);
  EXPECT_EQ(std::get<ListPrices>(list.action).model, "gpt-4o");
}

TEST(CommandLine, ExportsTraces) {
  const auto plain = std::get<TraceCommand>(
      parsed({"traces", "export", "--project", "team/app", "--output", "out"}).command);
  EXPECT_EQ(plain.server.url, std::nullopt);
  EXPECT_TRUE(plain.server.key.empty());
  const auto defaults = std::get<ExportTraces>(plain.action);
  EXPECT_EQ(defaults.project, "team/app");
  EXPECT_EQ(defaults.output, "out");
  EXPECT_EQ(defaults.format, "jsonl");
  EXPECT_EQ(defaults.page, 50'000);
  EXPECT_EQ(defaults.from, std::nullopt);
  const auto full = std::get<TraceCommand>(
      parsed({"traces", "export", "--project", "team/app", "--output", "out", "--format", "parquet",
              "--from", "2026-01-01", "--to", "2026-02-01T12:00:00Z", "--page", "7", "--url",
              "http://there", "--key", "@file"})
          .command);
  EXPECT_EQ(full.server.url, "http://there");
  EXPECT_EQ(full.server.key.reveal(), "@file");
  const auto chosen = std::get<ExportTraces>(full.action);
  EXPECT_EQ(chosen.format, "parquet");
  EXPECT_EQ(chosen.page, 7);
  EXPECT_EQ(chosen.from, *parseTimestamp("2026-01-01").value);
  EXPECT_EQ(chosen.to, *parseTimestamp("2026-02-01T12:00:00Z").value);
}

TEST(CommandLine, ImportsTraces) {
  const auto command =
      std::get<TraceCommand>(parsed({"traces", "import", "--project", "team/app", "--input", "in",
                                     "--keep-refs", "--skip-bad", "--state", "s.json"})
                                 .command);
  const auto import = std::get<ImportTraces>(command.action);
  EXPECT_EQ(import.project, "team/app");
  EXPECT_EQ(import.input, "in");
  EXPECT_EQ(import.state, "s.json");
  EXPECT_TRUE(import.keep_refs);
  EXPECT_TRUE(import.skip_bad);
}

TEST(CommandLine, PutsAndGetsArtifacts) {
  const auto put = std::get<ArtifactCommand>(
      parsed({"artifact", "put", "team/app/net", "a.bin", "folder", "--type", "model", "--alias",
              "best", "--alias", "prod", "--tag", "good", "--description", "text", "--url",
              "http://there"})
          .command);
  EXPECT_EQ(put.server.url, "http://there");
  const auto files = std::get<PutArtifact>(put.action);
  EXPECT_EQ(files.target, "team/app/net");
  EXPECT_EQ(files.inputs, (std::vector<std::string>{"a.bin", "folder"}));
  EXPECT_EQ(files.type, "model");
  EXPECT_EQ(files.aliases, (std::vector<std::string>{"best", "prod"}));
  EXPECT_EQ(files.tags, std::vector<std::string>{"good"});
  EXPECT_EQ(files.description, "text");
  const auto get =
      std::get<ArtifactCommand>(parsed({"artifact", "get", "team/app/net:best"}).command);
  EXPECT_EQ(std::get<GetArtifact>(get.action).source, "team/app/net:best");
  EXPECT_EQ(std::get<GetArtifact>(get.action).output, ".");
  EXPECT_NE(refused({"artifact", "put", "team/app/net"}).find("INPUT"), std::string::npos);
}

TEST(CommandLine, ListsAliasesAndLinksArtifacts) {
  const auto list =
      std::get<ArtifactCommand>(parsed({"artifact", "ls", "team/app", "--json"}).command);
  EXPECT_EQ(std::get<ListArtifacts>(list.action).place, "team/app");
  EXPECT_TRUE(std::get<ListArtifacts>(list.action).json);
  const auto alias = std::get<ArtifactCommand>(
      parsed({"artifact", "alias", "team/app/net:v3", "best", "--remove"}).command);
  EXPECT_EQ(std::get<AliasArtifact>(alias.action).alias, "best");
  EXPECT_TRUE(std::get<AliasArtifact>(alias.action).remove);
  const auto link = std::get<ArtifactCommand>(
      parsed({"artifact", "link", "team/app/net:v3", "svc-registry-models/net", "--alias", "prod"})
          .command);
  EXPECT_EQ(std::get<LinkArtifact>(link.action).target, "svc-registry-models/net");
  EXPECT_EQ(std::get<LinkArtifact>(link.action).aliases, std::vector<std::string>{"prod"});
}

TEST(CommandLine, RefusesInvalidTransfers) {
  const Arguments out{"traces", "export", "--project", "team/app", "--output", "out"};
  const auto with = [&out](std::initializer_list<const char*> more) {
    Arguments arguments = out;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return refused(arguments);
  };
  EXPECT_EQ(with({"--from", "7"}),
            "--from: expected a time such as 2026-12-31T12:00:00Z, but found \"7\"");
  EXPECT_NE(with({"--format", "csv"}).find("expected jsonl or parquet, but found \"csv\""),
            std::string::npos);
  EXPECT_NE(with({"--page", "0"}).find("--page"), std::string::npos);
  for (const char* project : {"team", "team/", "/app", "a/b/c"}) {
    EXPECT_EQ(refused({"traces", "import", "--project", project, "--input", "in"}),
              std::string("--project: expected ENTITY/PROJECT, but found \"") + project + "\"");
  }
  EXPECT_EQ(refused({"traces"}), "`spindle traces` needs one of: export, import");
}

TEST(CommandLine, AcceptsSettingsBeforeAndAfterTheCommand) {
  for (const Arguments& arguments :
       {Arguments{"--listen", "[::1]:0", "--config=a.toml", "serve"},
        Arguments{"serve", "--listen=[::1]:0", "--config", "a.toml"},
        Arguments{"user", "list", "--listen", "[::1]:0", "--config", "a.toml"}}) {
    const CommandLine line = parsed(arguments);
    EXPECT_EQ(line.config_file, "a.toml");
    ASSERT_EQ(line.flags.size(), 1U);
    EXPECT_EQ(line.flags[0].key, "server.listen");
    EXPECT_EQ(line.flags[0].text, "[::1]:0");
  }
}

TEST(CommandLine, HasAFlagForEverySettingExceptSecrets) {
  for (const config::Setting& setting : config::declarations()) {
    if (setting.flag.empty()) continue;
    Arguments arguments{"serve", setting.flag};
    if (!setting.is_boolean) arguments.push_back(setting.text_example);
    const CommandLine line = parsed(arguments);
    ASSERT_EQ(line.flags.size(), 1U) << setting.flag;
    EXPECT_EQ(line.flags[0].key, setting.key);
    EXPECT_EQ(line.flags[0].text, setting.is_boolean ? "true" : setting.text_example);
  }
}

TEST(CommandLine, SwitchesBooleansOnAndOff) {
  EXPECT_EQ(parsed({"serve", "--access-log"}).flags.at(0).text, "true");
  EXPECT_EQ(parsed({"serve", "--no-access-log"}).flags.at(0).text, "false");
  EXPECT_EQ(parsed({"serve", "--access-log=false"}).flags.at(0).text, "false");
  EXPECT_TRUE(is<ServeCommand>({"--no-access-log", "serve"}));
}

TEST(CommandLine, CollectsRepeatedListFlags) {
  const CommandLine line = parsed({"serve", "--cors-origins", "https://a.example", "--cors-origins",
                                   "https://b.example,https://c.example"});
  ASSERT_EQ(line.flags.size(), 2U);
  EXPECT_EQ(line.flags[0].text, "https://a.example");
  EXPECT_EQ(line.flags[1].text, "https://b.example,https://c.example");
}

TEST(CommandLine, ReadsUserCommands) {
  const auto create = action<CreateUser>(
      {"user", "create", "ada", "--email", "ada@example.com", "--name", "Ada L", "--admin"});
  EXPECT_EQ(create.username, "ada");
  EXPECT_EQ(create.email, "ada@example.com");
  EXPECT_EQ(create.name, "Ada L");
  EXPECT_TRUE(create.admin);
  action<ListUsers>({"user", "list"});
  EXPECT_TRUE(std::get<IdentityCommand>(parsed({"user", "list", "--json"}).command).json);
}

TEST(CommandLine, AcceptsAUsernameThatIsAlsoACommand) {
  EXPECT_EQ(action<CreateUser>({"user", "create", "serve", "--email", "s@example.com"}).username,
            "serve");
  EXPECT_EQ(action<RemoveTeamMember>({"team", "remove-member", "list", "key"}).username, "key");
}

TEST(CommandLine, ReadsTeamCommands) {
  EXPECT_EQ(action<CreateTeam>({"team", "create", "research"}).admin, std::nullopt);
  EXPECT_EQ(action<CreateTeam>({"team", "create", "research", "--admin", "ada"}).admin, "ada");
  action<ListTeams>({"team", "list"});
  EXPECT_TRUE(action<DeleteTeam>({"team", "delete", "research", "--force"}).force);
  EXPECT_EQ(action<ListTeamMembers>({"team", "members", "research"}).team, "research");
  const auto add =
      action<AddTeamMember>({"team", "add-member", "research", "bob", "--role", "viewer"});
  EXPECT_EQ(add.team, "research");
  EXPECT_EQ(add.username, "bob");
  EXPECT_EQ(add.role, "VIEWER");
  EXPECT_EQ(action<AddTeamMember>({"team", "add-member", "research", "bob"}).role, "MEMBER");
  EXPECT_EQ(refused({"team", "add-member", "research", "bob", "--role", "king"}),
            "--role: expected admin, member or viewer, but found \"king\"; see `spindle team "
            "add-member --help`");
}

TEST(CommandLine, ReadsKeyCommands) {
  const auto create =
      action<CreateKey>({"key", "create", "--user", "ada", "--name", "ci", "--expires", "90d"});
  EXPECT_EQ(create.username, "ada");
  EXPECT_EQ(create.name, "ci");
  EXPECT_EQ(std::get<std::chrono::milliseconds>(create.expires), std::chrono::hours(24 * 90));
  EXPECT_EQ(action<ListKeys>({"key", "list"}).username, std::nullopt);
  EXPECT_EQ(action<ListKeys>({"key", "list", "--user", "ada"}).username, "ada");
  EXPECT_EQ(action<RevokeKey>({"key", "revoke", "abc"}).id, "abc");
}

TEST(CommandLine, ReadsAnExpiryAsADurationOrADate) {
  const Result<Expiry> date = parseExpiry("2027-12-31");
  ASSERT_TRUE(date.has_value());
  EXPECT_EQ(formatTimestamp(std::get<Timestamp>(*date)), "2027-12-31T00:00:00Z");
  for (const char* text : {"", "90", "0d", "tomorrow", "2027-13-01"}) {
    EXPECT_FALSE(parseExpiry(text).has_value()) << text;
  }
  EXPECT_EQ(refused({"key", "create", "--user", "a", "--name", "b", "--expires", "soon"}),
            "--expires: expected a duration such as 90d or a date such as 2027-12-31, but found "
            "\"soon\"");
}

TEST(CommandLine, ReadsTheImportOfAModel) {
  const auto command = std::get<ModelCommand>(
      parsed({"model", "import", "folder", "out.gguf", "--name", "tiny", "--type", "q8_0"})
          .command);
  EXPECT_EQ(command.folder, "folder");
  EXPECT_EQ(command.file, "out.gguf");
  EXPECT_EQ(command.name, "tiny");
  EXPECT_EQ(command.type, "q8_0");
  EXPECT_NE(refused({"model", "import", "folder", "out.gguf", "--type", "q2"}).find("--type"),
            std::string::npos);
  EXPECT_NE(refused({"model", "import", "folder"}).find("FILE"), std::string::npos);
}

/// Parses `spindle trajectories export` with these options.
ExportTrajectories exportedBy(const Arguments& options) {
  Arguments arguments = {"trajectories", "export", "acme/support", "data"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const CommandLine line = parsed(arguments);
  const auto* training = std::get_if<TrainingCommand>(&line.command);
  if (training == nullptr) {
    ADD_FAILURE() << "another command";
    return {};
  }
  return std::get<ExportTrajectories>(training->action);
}

/// Returns the error message without the hint to --help.
std::string exportRefused(const Arguments& options) {
  Arguments arguments = {"trajectories", "export", "acme/support", "data"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const std::string why = refused(arguments);
  return why.substr(0, why.find("; see `spindle trajectories export --help`"));
}

TEST(CommandLine, ExportsTrajectories) {
  const ExportTrajectories made =
      exportedBy({"--op", "ask", "--feedback", "quality", "--reward", "value", "--min-reward", ".5",
                  "--query", R"({"$expr": true})", "--limit", "3"});
  EXPECT_EQ(made.op, "ask");
  EXPECT_EQ(made.feedback, "quality");
  EXPECT_EQ(made.reward, "value");
  EXPECT_EQ(made.min_reward, 0.5);
  EXPECT_EQ(made.query, R"({"$expr": true})");
  EXPECT_EQ(made.limit, 3);
  EXPECT_EQ(exportedBy({"--reward", "x", "--min-reward", "-1e3"}).min_reward, -1000);
}

TEST(CommandLine, ReadsQueriesFromFiles) {
  const std::string file = testing::TempDir() + "query-of-trajectories.json";
  std::ofstream(file) << "[1]";
  EXPECT_EQ(exportedBy({"--query", "@" + file}).query, "[1]");
  std::ofstream(file) << "[1";
  const std::string why = exportRefused({"--query", "@" + file});
  EXPECT_TRUE(why.starts_with("--query: this is not valid JSON: ")) << why;
  EXPECT_EQ(exportRefused({"--query", "@/no/such/file"}), "--query: cannot read /no/such/file");
}

TEST(CommandLine, RefusesQueriesThatAreNotJson) {
  for (const char* text : {"notjson", "{", "{} {}"}) {
    const std::string why = exportRefused({"--query", text});
    EXPECT_TRUE(why.starts_with("--query: this is not valid JSON: ")) << why;
  }
}

TEST(CommandLine, RefusesRewardsThatAreNotNumbers) {
  for (const std::string text : {"abc", "0,5", R"(1,"limit":2)", "nan", "inf", "1e999", "1x"}) {
    EXPECT_EQ(exportRefused({"--reward", "x", "--min-reward", text}),
              "--min-reward: expected a number such as 0.5, but found \"" + text + "\"");
  }
}

TEST(CommandLine, ReportsFlagsThatRequireReward) {
  EXPECT_EQ(exportRefused({"--min-reward", "1"}), "--min-reward requires --reward");
  EXPECT_EQ(exportRefused({"--feedback", "quality"}), "--feedback requires --reward");
}

TEST(CommandLine, ReadsBackupCommands) {
  const auto command = [](const Arguments& arguments) {
    return std::get<BackupCommand>(parsed(arguments).command);
  };
  const auto take = std::get<TakeBackup>(
      command({"backup", "/b", "--keep", "3", "--without-secrets", "--without-metadata"}).action);
  EXPECT_EQ(take.folder, "/b");
  EXPECT_EQ(take.keep, 3);
  EXPECT_TRUE(take.without_secrets && take.without_metadata);
  EXPECT_FALSE(take.list || take.json);
  EXPECT_EQ(command({"backup", "/b", "--key", "k"}).server.key.reveal(), "k");
  const auto restore = std::get<RestoreBackup>(
      command({"restore", "/b", "--point", "p", "--replace", "--data-dir", "/d"}).action);
  EXPECT_EQ(restore.folder, "/b");
  EXPECT_EQ(restore.point, "p");
  EXPECT_TRUE(restore.replace);
  EXPECT_EQ(std::get<VerifyFolder>(command({"verify"}).action).folder, "");
  EXPECT_TRUE(std::get<VerifyFolder>(command({"verify", "/b", "--json"}).action).json);
  EXPECT_TRUE(std::get<ServeCommand>(parsed({"serve", "--start-empty"}).command).start_empty);
  EXPECT_NE(refused({"backup"}).find("FOLDER is required"), std::string::npos);
  EXPECT_NE(refused({"restore"}).find("FOLDER is required"), std::string::npos);
  EXPECT_NE(refused({"backup", "/b", "--keep", "0"}).find("--keep"), std::string::npos);
}

TEST(CommandLine, SuggestsTheNearestCommand) {
  EXPECT_EQ(refused({"sevre"}), "sevre: unknown command; did you mean `spindle serve`?");
  EXPECT_EQ(refused({"user", "crate", "ada"}).substr(0, 59),
            "crate: unknown command; did you mean `spindle user create`?");
  EXPECT_EQ(refused({"frobnicate"}),
            "frobnicate: unknown command; `spindle` takes one of: serve, config, doctor, version, "
            "help, user, team, key, login-link, prices, traces, artifact, model, secret, webhook, "
            "automation, deliveries, engine, upstream, limit, usage, node, train, trajectories, "
            "backup, restore, verify, migrate");
  EXPECT_EQ(refused({"team"}),
            "`spindle team` needs one of: create, list, delete, add-member, remove-member, "
            "members");
}

TEST(CommandLine, ListsEveryUnknownFlagWithTheNearest) {
  EXPECT_EQ(refused({"serve", "--lisen", "127.0.0.1:0", "--data-dri=x", "--frobnicate"}),
            "--lisen: unknown flag; did you mean --listen?\n"
            "--data-dri: unknown flag; did you mean --data-dir?\n"
            "--frobnicate: unknown flag; see `spindle serve --help`");
  EXPECT_EQ(refused({"serve", "--idle-timeout", "10s"}),
            "--idle-timeout: unknown flag; did you mean --limits-idle-timeout?");
  EXPECT_EQ(refused({"serve", "--server-listen=x"}),
            "--server-listen: unknown flag; did you mean --listen?");
  EXPECT_EQ(refused({"user", "create", "ada", "--emial", "a@example.com"}),
            "--emial: unknown flag; did you mean --email?");
}

TEST(CommandLine, RefusesSecretsAndNamesTheVariable) {
  EXPECT_EQ(refused({"serve", "--admin-api-key", "hunter2hunter2hunter2"}),
            "--admin-api-key: not a flag: a secret does not belong on a command line; set "
            "SPINDLE_ADMIN_API_KEY");
}

TEST(CommandLine, ReportsMissingAndUnexpectedArguments) {
  EXPECT_EQ(refused({"serve", "now"}), "now: unexpected argument; see `spindle serve --help`");
  EXPECT_EQ(refused({"user", "create"}), "USERNAME is required; see `spindle user create --help`");
  EXPECT_EQ(refused({"serve", "--listen"}), "--listen: needs a value; see `spindle serve --help`");
  EXPECT_EQ(refused({"serve", "--listen", "a:1", "--listen", "b:1"}),
            "--listen: given more than once; see `spindle serve --help`");
}

TEST(Help, ListsFirstStepsAndVersion) {
  const std::string overview = helpText({"--help"});
  EXPECT_EQ(helpText({}), overview);
  EXPECT_EQ(helpText({"help"}), overview);
  EXPECT_NE(overview.find("spindle serve"), std::string::npos);
  EXPECT_NE(overview.find("spindle doctor"), std::string::npos);
  EXPECT_NE(overview.find(version()), std::string::npos);
}

TEST(Help, NamesEveryCommand) {
  const std::string overview = helpText({"--help"});
  const std::string known = refused({"frobnicate"});
  std::istringstream names(known.substr(known.find("one of: ") + 8));
  int count = 0;
  for (std::string name; names >> name; ++count) {
    if (name.back() == ',') name.pop_back();
    EXPECT_NE(overview.find("\n  " + name + " "), std::string::npos) << name;
  }
  EXPECT_GT(count, 10);
}

TEST(Help, ListsEverySettingsFlagOfTheServer) {
  const std::string help = helpText({"serve", "--help"});
  for (const config::Setting& setting : config::declarations()) {
    if (setting.flag.empty()) continue;
    EXPECT_NE(help.find(setting.flag.substr(2)), std::string::npos) << setting.flag;
  }
}

TEST(Help, ExplainsEachCommand) {
  const std::string help = helpText({"user", "create", "--help"});
  EXPECT_NE(help.find("spindle user create"), std::string::npos) << help;
  EXPECT_NE(help.find("--email"), std::string::npos) << help;
  EXPECT_NE(helpText({"team", "--help"}).find("add-member"), std::string::npos);
}

TEST(CommandLine, UnderstandsAutomations) {
  const auto parsed = [](const std::vector<std::string>& arguments) {
    const Result<CommandLine> line = parseCommandLine(arguments);
    EXPECT_TRUE(line) << (line ? "" : line.error().message());
    return line ? std::get<AutomationCommand>(line->command) : AutomationCommand();
  };
  const AutomationCommand create =
      parsed({"automation", "create", "deploy", "--scope", "acme/churn", "--event",
              "ADD_ARTIFACT_ALIAS", "--alias", "^production$", "--webhook", "acme/ci", "--preset",
              "repository_dispatch", "--url", "http://127.0.0.1:1", "--json"});
  const auto& made = std::get<CreateAutomation>(create.action);
  EXPECT_EQ(made.name, "deploy");
  EXPECT_EQ(made.scope, "acme/churn");
  EXPECT_EQ(made.alias, "^production$");
  EXPECT_EQ(made.webhook, "acme/ci");
  EXPECT_EQ(create.server.url, "http://127.0.0.1:1");
  EXPECT_TRUE(create.json);
  EXPECT_FALSE(std::get<SwitchAutomation>(parsed({"automation", "disable", "a"}).action).enabled);
  EXPECT_TRUE(std::get<SwitchAutomation>(parsed({"automation", "enable", "a"}).action).enabled);
  EXPECT_TRUE(
      std::get<ReplayDelivery>(parsed({"deliveries", "replay", "d", "--current"}).action).current);
  EXPECT_EQ(std::get<TestWebhook>(parsed({"webhook", "test", "acme", "ci"}).action).payload, "{}");
  EXPECT_EQ(std::get<SetSecret>(parsed({"secret", "set", "acme", "KEY"}).action).file,
            std::nullopt);
}

TEST(CommandLine, UnderstandsModelsUpstreamsLimitsAndUsage) {
  const auto parsed = [](const std::vector<std::string>& arguments) {
    const Result<CommandLine> line = parseCommandLine(arguments);
    EXPECT_TRUE(line) << (line ? "" : line.error().message());
    return line ? std::get<InferenceCommand>(line->command) : InferenceCommand();
  };
  const InferenceCommand add = parsed({"model",
                                       "add",
                                       "org/chat",
                                       "--upstream",
                                       "vllm=Qwen/Qwen3",
                                       "--upstream",
                                       "hosted",
                                       "--tier",
                                       "0",
                                       "--tier",
                                       "1",
                                       "--fallback",
                                       "small",
                                       "--team",
                                       "acme",
                                       "--ability",
                                       "chat",
                                       "--context",
                                       "4096",
                                       "--url",
                                       "http://127.0.0.1:1",
                                       "--json"});
  const auto& model = std::get<AddModel>(add.action);
  EXPECT_EQ(model.name, "org/chat");
  EXPECT_EQ(model.upstreams, (std::vector<std::string>{"vllm=Qwen/Qwen3", "hosted"}));
  EXPECT_EQ(model.tiers, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(model.fallbacks, std::vector<std::string>{"small"});
  EXPECT_EQ(model.teams, std::vector<std::string>{"acme"});
  EXPECT_EQ(model.abilities, std::vector<std::string>{"chat"});
  EXPECT_EQ(model.context, 4096);
  EXPECT_FALSE(model.file || model.start_at_boot);
  EXPECT_EQ(add.server.url, "http://127.0.0.1:1");
  EXPECT_TRUE(add.json);
  EXPECT_TRUE(std::get<RemoveModel>(parsed({"model", "rm", "a/b", "--force"}).action).force);
  EXPECT_EQ(std::get<ShowModel>(parsed({"model", "show", "a/b"}).action).name, "a/b");
  EXPECT_TRUE(std::holds_alternative<ListModels>(parsed({"model", "ls"}).action));

  const auto upstream = std::get<AddUpstream>(
      parsed({"upstream", "add", "hosted", "https://a.example/v1", "--key-env", "THE_KEY",
              "--idle-timeout", "30s", "--no-stream-usage"})
          .action);
  EXPECT_EQ(upstream.address, "https://a.example/v1");
  EXPECT_EQ(upstream.key_variable, "THE_KEY");
  EXPECT_EQ(upstream.idle_timeout, "30s");
  EXPECT_TRUE(upstream.no_stream_usage);
  EXPECT_EQ(std::get<TestUpstream>(parsed({"upstream", "test", "hosted"}).action).name, "hosted");

  const auto limit = std::get<SetLimit>(
      parsed({"limit", "set", "acme/lab", "--budget", "5", "--period", "day"}).action);
  EXPECT_EQ(limit.subject, "acme/lab");
  EXPECT_EQ(limit.budget, "5");
  EXPECT_EQ(limit.period, "day");
  EXPECT_FALSE(limit.requests);

  EXPECT_EQ(std::get<ShowUsage>(parsed({"usage"}).action).by, "day,model");
  EXPECT_EQ(std::get<ShowUsage>(parsed({"usage", "--by", "user"}).action).by, "user");
  EXPECT_TRUE(std::holds_alternative<ModelCommand>(
      parseCommandLine({"model", "import", "folder", "file"})->command));
}

TEST(CommandLine, RefusesInvalidInferenceCommands) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"model", "add"},
        {"model", "add", "m", "--ability", "song"},
        {"upstream", "add", "hosted"},
        {"upstream", "add", "hosted", "https://a.example/v1", "--key-stdin", "--key-env", "K"},
        {"limit", "set"},
        {"limit", "set", "acme/lab", "--period", "week"},
        {"usage", "--week"}}) {
    EXPECT_FALSE(parseCommandLine(arguments)) << arguments.back();
  }
}

}  // namespace
}  // namespace spindle::app
