// The entries of the navigation and of the palette. Entries whose screen is not in the table are left out.

import { hasScreen } from "./routes";
import type { ShellIconName } from "./icons";
import { href, paths } from "./location";
import type { ScreenName } from "./screen";

export interface NavigationItem {
  screen: ScreenName;
  label: string;
  icon: ShellIconName;
  href: string;
  /** The second key after `g`. */
  key?: string;
  /** Screens that belong to this entry. */
  covers: readonly ScreenName[];
}

export interface NavigationSection {
  title: string;
  items: NavigationItem[];
}

type Row = [screen: ScreenName, label: string, icon: ShellIconName, path: string, key?: string, ...covers: ScreenName[]];

function section(title: string, rows: readonly Row[]): NavigationSection {
  const items = rows
    .filter(([screen]) => hasScreen(screen))
    .map(([screen, label, icon, path, key, ...covers]) => ({
      screen, label, icon, href: href(path), covers: [screen, ...covers], ...(key ? { key } : {}),
    }));
  return { title, items };
}

export interface NavigationPlace {
  /** `team/project`, or null. */
  project: string | null;
  team: string | null;
  organizationAdmin: boolean;
}

export function navigationSections({ project, team, organizationAdmin }: NavigationPlace): NavigationSection[] {
  const sections: NavigationSection[] = [section("", [["home", "Home", "home", paths.home(), "h"]])];
  if (project) {
    sections.push(
      section("Observe", [
        ["traces", "Traces", "traces", paths.traces(project), "t", "trace", "compare"],
        ["threads", "Threads", "chat", paths.threads(project), "c"],
        ["agents", "Agents", "bot", paths.agents(project), "a"],
        ["search", "Search", "search", paths.search(project), "s"],
      ]),
      section("Improve", [
        ["datasets", "Datasets", "table", paths.datasets(project), "d"],
        ["evals", "Evaluations", "evals", paths.evals(project), "e", "eval_compare"],
        ["queues", "Annotation", "inbox", paths.queues(project), "q"],
        ["objects", "Prompts & objects", "cube", paths.objects(project), "o"],
        ["playground", "Playground", "flask", paths.playground(project), "p"],
      ]),
      section("Train", [
        ["training", "Training", "curve", paths.training(project), "j", "training_job"],
        ["models", "Models", "layers", paths.models(project), "m"],
        ["runs", "Runs", "pulse", paths.runs(project), "r"],
        ["artifacts", "Artifacts", "archive", paths.artifacts(project), "f"],
        ["project_settings", "Project settings", "sliders", paths.projectSettings(project)],
      ]),
    );
  }
  if (team) {
    sections.push(
      section("Team", [
        ["webhooks", "Webhooks", "webhook", paths.webhooks(team), "w"],
        ["automations", "Automations", "workflow", paths.automations(team), "x"],
        ["deliveries", "Deliveries", "send", paths.deliveries(team), "y"],
        ["team", "Members & secrets", "team", paths.team(team)],
      ]),
    );
  }
  const server: Row[] = [
    ["inference", "Inference", "chip", paths.inference(), "i"],
    ["usage", "Usage", "bars", paths.usage(), "u"],
    ["registries", "Registries", "registry", paths.registries(), "l"],
  ];
  if (organizationAdmin) server.push(["admin", "Administration", "shield", paths.admin()]);
  sections.push(section("Server", server));
  return sections.filter(({ items }) => items.length > 0);
}
