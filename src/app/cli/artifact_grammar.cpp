#include <CLI/CLI.hpp>

#include "app/cli/grammars.h"
#include "app/cli/options.h"

namespace spindle::app {
namespace {

constexpr const char* kPutHelp = R"(
Files that the server already has are not sent. After an interruption, run the same command again
to send the rest. Identical content creates no second version.

Examples:
  spindle artifact put research/chat/answers answers.jsonl --alias best
  spindle artifact put research/chat/net checkpoints/ --type model --tag nightly)";

constexpr const char* kGetHelp = R"(
Every file is verified against its MD5 digest. Files that are already complete in the folder are not
downloaded. After an interruption, run the same command again to download the rest.

Examples:
  spindle artifact get research/chat/net:best --output net/
  spindle artifact get svc-registry-models/net:prod --output net/)";

constexpr const char* kListHelp = R"(
Examples:
  spindle artifact ls research/chat
  spindle artifact ls research/chat/net
  spindle artifact ls svc-registry-models/net --json)";

constexpr const char* kAliasHelp = R"(
An alias names one version: setting it removes it from the version that had it before.

Examples:
  spindle artifact alias research/chat/net:v3 best
  spindle artifact alias svc-registry-models/net:v0 prod
  spindle artifact alias research/chat/net:v3 best --remove)";

constexpr const char* kLinkHelp = R"(
The collection in the registry is created if it does not exist. To create a registry, use
POST /api/v1/registries.

Examples:
  spindle artifact link research/chat/net:best svc-registry-models/net --alias staging)";

}  // namespace

void addArtifactCommands(CommandBuilder& builder) {
  CLI::App* group = builder.group("artifact", "Upload, download, list, alias and link artifacts.");
  const auto [put, sent] = builder.add<ArtifactCommand>(
      group, {"put", "Upload files as a new version.", kPutHelp}, PutArtifact(),
      {{"TARGET", &PutArtifact::target, "ENTITY/PROJECT/NAME; created if it does not exist"}});
  addOption(put, "INPUT", sent.inputs, "", "Files, or folders with all their files")->required();
  addOption(put, "--type", sent.type, "TYPE", "Artifact type of a new collection")
      ->default_str("dataset");
  addOption(put, "--alias", sent.aliases, "ALIAS", "Alias of the version; repeatable");
  addOption(put, "--tag", sent.tags, "TAG", "Tag of the version; repeatable");
  addOption(put, "--description", sent.description, "TEXT", "Description of the version");
  const auto [get, fetched] = builder.add<ArtifactCommand>(
      group, {"get", "Download the files of a version.", kGetHelp}, GetArtifact(),
      {{"SOURCE", &GetArtifact::source,
        "ENTITY/PROJECT/NAME:VERSION; the newest version if omitted"}});
  addOption(get, "--output", fetched.output, "FOLDER", "Destination folder")->default_str(".");
  const auto [list, listed] = builder.add<ArtifactCommand>(
      group, {"ls", "List collections, or the versions of a collection.", kListHelp},
      ListArtifacts(),
      {{"PLACE", &ListArtifacts::place,
        "ENTITY/PROJECT, ENTITY/PROJECT/NAME or svc-registry-REGISTRY[/NAME]"}});
  list->add_flag("--json", listed.json, "Print JSON instead of a table");
  const auto [alias, aliased] = builder.add<ArtifactCommand>(
      group, {"alias", "Set or remove an alias of a version.", kAliasHelp}, AliasArtifact(),
      {{"VERSION", &AliasArtifact::version, "ENTITY/PROJECT/NAME:VERSION"},
       {"ALIAS", &AliasArtifact::alias, "Alias, such as production"}});
  alias->add_flag("--remove", aliased.remove, "Remove the alias from the version");
  const auto [link, linked] = builder.add<ArtifactCommand>(
      group, {"link", "Link a version to a registry.", kLinkHelp}, LinkArtifact(),
      {{"SOURCE", &LinkArtifact::source, "ENTITY/PROJECT/NAME:VERSION"},
       {"TARGET", &LinkArtifact::target, "svc-registry-REGISTRY/NAME"}});
  addOption(link, "--alias", linked.aliases, "ALIAS", "Alias of the link; repeatable");
}

}  // namespace spindle::app
