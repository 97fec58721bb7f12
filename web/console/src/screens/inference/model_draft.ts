// What the form of a model holds, and what is sent for it.

import type { CatalogueModel, ModelTarget, NewModel } from "../../api/inference";

export type Ability = CatalogueModel["abilities"][number];

export interface ModelDraft {
  name: string;
  /** `stored`: the file that was uploaded to the server. */
  kind: "file" | "stored" | "upstream";
  file: string;
  context: number | null;
  boot: boolean;
  targets: Required<ModelTarget>[];
  abilities: Ability[];
  /** The first fallback; the others are kept in `fallbacks`. */
  fallback: string;
  fallbacks: string[];
  /** The first team; the others are kept in `teams`. */
  team: string;
  teams: string[];
}

function target(value: ModelTarget): Required<ModelTarget> {
  return { upstream: value.upstream ?? null, model: value.model ?? "", tier: value.tier ?? 0 };
}

export function modelDraft(model: CatalogueModel | null): ModelDraft {
  const remote = model?.targets?.filter(({ upstream }) => upstream) ?? [];
  return {
    name: model?.name ?? "",
    kind: model?.file_sha256 ? "stored" : model?.file ? "file" : "upstream",
    file: model?.file ?? "",
    context: model?.context || null,
    boot: model?.start_at_boot ?? false,
    targets: remote.length > 0 ? remote.map(target) : [{ upstream: "", model: "", tier: 0 }],
    abilities: model ? [...model.abilities] : ["chat", "completions"],
    fallback: model?.fallbacks[0] ?? "",
    fallbacks: model ? [...model.fallbacks] : [],
    team: model?.teams?.[0] ?? "",
    teams: model?.teams ? [...model.teams] : [],
  };
}

/** The chosen first entry and the further ones that stay. */
function withFirst(first: string, all: readonly string[]): string[] {
  return first === "" ? [] : [first, ...all.slice(1).filter((name) => name !== first)];
}

export function modelBody(draft: ModelDraft): NewModel {
  const teams = withFirst(draft.team, draft.teams);
  const targets = draft.targets.filter(({ upstream }) => upstream).map(({ upstream, model, tier }) => ({ upstream, model: model.trim(), tier }));
  return {
    name: draft.name.trim(),
    abilities: draft.abilities,
    fallbacks: withFirst(draft.fallback, draft.fallbacks),
    teams: teams.length === 0 ? null : teams,
    ...(draft.kind === "upstream" ? { file: null, targets } : { context: draft.context ?? 0, start_at_boot: draft.boot, targets }),
    ...(draft.kind === "file" ? { file: draft.file.trim() } : {}),
  };
}

export function isCompleteModel(draft: ModelDraft): boolean {
  const served = {
    file: draft.file.trim() !== "",
    stored: true,
    upstream: draft.targets.every(({ upstream }) => Boolean(upstream)),
  }[draft.kind];
  return draft.name.trim() !== "" && draft.abilities.length > 0 && served;
}
