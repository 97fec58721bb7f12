#include <CLI/CLI.hpp>

#include "app/cli/grammars.h"
#include "app/cli/help.h"

namespace spindle::app {

void addArtifactCommands(CommandBuilder& builder) {
  CLI::App* group = builder.group("artifact", "Upload, download, list, alias and link artifacts.");
  const auto [put, sent] =
      builder.add<ArtifactCommand>(group, "put", "Upload files as a new version.", PutArtifact());
  put->footer(artifactHelp("put"));
  addPositional(put, "TARGET", sent.target, "ENTITY/PROJECT/NAME; created if it does not exist");
  put->add_option("INPUT", sent.inputs, "Files, or folders with all their files")
      ->required()
      ->type_name("");
  put->add_option("--type", sent.type, "Artifact type of a new collection")
      ->type_name("TYPE")
      ->default_str("dataset");
  put->add_option("--alias", sent.aliases, "Alias of the version; repeatable")->type_name("ALIAS");
  put->add_option("--tag", sent.tags, "Tag of the version; repeatable")->type_name("TAG");
  put->add_option("--description", sent.description, "Description of the version")
      ->type_name("TEXT");
  const auto [get, fetched] =
      builder.add<ArtifactCommand>(group, "get", "Download the files of a version.", GetArtifact());
  get->footer(artifactHelp("get"));
  addPositional(get, "SOURCE", fetched.source,
                "ENTITY/PROJECT/NAME:VERSION; the newest version if omitted");
  get->add_option("--output", fetched.output, "Destination folder")
      ->type_name("FOLDER")
      ->default_str(".");
  const auto [list, listed] = builder.add<ArtifactCommand>(
      group, "ls", "List collections, or the versions of a collection.", ListArtifacts());
  list->footer(artifactHelp("ls"));
  addPositional(list, "PLACE", listed.place,
                "ENTITY/PROJECT, ENTITY/PROJECT/NAME or svc-registry-REGISTRY[/NAME]");
  list->add_flag("--json", listed.json, "Print JSON instead of a table");
  const auto [alias, aliased] = builder.add<ArtifactCommand>(
      group, "alias", "Set or remove an alias of a version.", AliasArtifact());
  alias->footer(artifactHelp("alias"));
  addPositional(alias, "VERSION", aliased.version, "ENTITY/PROJECT/NAME:VERSION");
  addPositional(alias, "ALIAS", aliased.alias, "Alias, such as production");
  alias->add_flag("--remove", aliased.remove, "Remove the alias from the version");
  const auto [link, linked] =
      builder.add<ArtifactCommand>(group, "link", "Link a version to a registry.", LinkArtifact());
  link->footer(artifactHelp("link"));
  addPositional(link, "SOURCE", linked.source, "ENTITY/PROJECT/NAME:VERSION");
  addPositional(link, "TARGET", linked.target, "svc-registry-REGISTRY/NAME");
  link->add_option("--alias", linked.aliases, "Alias of the link; repeatable")->type_name("ALIAS");
}

}  // namespace spindle::app
