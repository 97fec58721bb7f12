// The runs of a comparison: which one is the base, which one is compared, adding and removing.

import { href, paths } from "../../app/location";
import { classes } from "../../ui/class_names";
import { Menu } from "../../ui/menu";
import { parseRef } from "../shared_objects/refs";
import { type VersionNumbers, refLabel } from "../shared_objects/versions";
import { letterOf } from "./compare";
import { MOST_RUNS, useRunList } from "./run_picker";

interface Props {
  project: string;
  runs: readonly string[];
  names: readonly string[];
  base: string;
  other: string;
  evaluation: string | null;
  numbers: VersionNumbers | undefined;
  onBase: (run: string) => void;
  onOther: (run: string) => void;
  onRuns: (runs: string[]) => void;
}

export function RunChips({ project, runs, names, base, other, evaluation, numbers, onBase, onOther, onRuns }: Props) {
  const list = useRunList(project);
  const candidates = list.items.filter(({ evaluation_run_id: id, evaluation: ref }) => !runs.includes(id) && (evaluation === null || parseRef(ref)?.name === evaluation));
  return (
    <div class="chips" role="group" aria-label="Runs">
      {runs.map((run, index) => (
        <span key={run} class={classes("chip", run === other && "chip-on")}>
          <Menu
            small kind="quiet" label={`Run ${letterOf(index)} ${names[index] ?? ""}${run === base ? " base" : ""}`}
            items={[
              { text: "Base of the comparison", checked: run === base, onSelect: () => onBase(run) },
              { text: "Compared with the base", checked: run === other, disabled: run === base, onSelect: () => onOther(run) },
              { kind: "line" },
              { text: "Open the run", icon: "external", href: href(paths.evals(project, run)) },
              { text: "Remove", icon: "close", onSelect: () => onRuns(runs.filter((id) => id !== run)) },
            ]}
          >
            <strong>{letterOf(index)}</strong> {names[index]}{run === base && <span class="faint"> base</span>}
          </Menu>
        </span>
      ))}
      {runs.length < MOST_RUNS && candidates.length > 0 && (
        <Menu
          small kind="quiet" icon="add" label="Add a run"
          items={candidates.slice(0, 20).map(({ evaluation_run_id: id, model, started_at }) => ({ text: refLabel(model, numbers), note: (started_at ?? "").slice(0, 16).replace("T", " "), onSelect: () => onRuns([...runs, id]) }))}
        />
      )}
    </div>
  );
}
