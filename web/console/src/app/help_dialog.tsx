// The list of keyboard shortcuts (?): those of the shell and those of the screen.

import { Dialog } from "../ui/dialog";
import { Switch } from "../ui/inputs";
import { helpOpen } from "./overlays";
import { setPreferences, shortcutsOn } from "./preferences";
import { type Shortcut, keyCaps, shortcuts } from "./shortcuts";
import { toastError } from "./toasts";

const GENERAL = "Everywhere";
/** The long list comes last, after the keys of the screen. */
const GO_TO = "Go to";

function groups(all: readonly Shortcut[]): [string, Shortcut[]][] {
  const byGroup = new Map<string, Map<string, Shortcut>>();
  for (const shortcut of all) {
    const name = shortcut.group ?? GENERAL;
    const known = byGroup.get(name) ?? new Map<string, Shortcut>();
    byGroup.set(name, known.set(shortcut.keys, shortcut));
  }
  const rank = (name: string) => (name === GENERAL ? 0 : name === GO_TO ? 2 : 1);
  return [...byGroup]
    .map(([name, known]): [string, Shortcut[]] => [name, [...known.values()]])
    .sort(([a], [b]) => rank(a) - rank(b));
}

export default function HelpDialog() {
  return (
    <Dialog open onClose={() => (helpOpen.value = false)} title="Keyboard shortcuts" size="large">
      <div class="help-groups">
        {groups(shortcuts.value).map(([name, list]) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl class="help-list">
              {list.map(({ keys, label }) => (
                <div key={keys}>
                  <dt>{label}</dt>
                  <dd>{keyCaps(keys).map((cap) => <kbd key={cap}>{cap}</kbd>)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Switch
        checked={shortcutsOn.value}
        onChange={(on) => setPreferences({ shortcuts: on }).catch((error: unknown) => toastError("The setting was not stored", error))}
      >
        Single keys are shortcuts
      </Switch>
    </Dialog>
  );
}
