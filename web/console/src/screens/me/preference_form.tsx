// Theme, times, density and shortcuts.

import { type ConsolePreferences, density, setPreferences, shortcutsOn, timeZone } from "../../app/preferences";
import { Section } from "../../app/page";
import { Segments } from "../../app/segments";
import { theme } from "../../app/theme";
import { toastError } from "../../app/toasts";
import { Switch } from "../../ui/inputs";

function store(change: ConsolePreferences): void {
  setPreferences(change).catch((error: unknown) => toastError("The setting applies here, but was not stored", error));
}

export function PreferenceForm() {
  return (
    <Section title="Preferences" lead="They follow you to every browser.">
      <div class="card rows">
        <div class="setting">
          <span>Theme</span>
          <Segments
            label="Theme"
            value={theme.value}
            options={[["system", "System"], ["light", "Light"], ["dark", "Dark"]]}
            onChange={(value) => store({ theme: value })}
          />
        </div>
        <div class="setting">
          <span>Times</span>
          <Segments
            label="Times"
            value={timeZone.value}
            options={[["utc", "UTC"], ["local", "Local"]]}
            onChange={(value) => store({ timeZone: value })}
          />
        </div>
        <div class="setting">
          <span>Rows of tables</span>
          <Segments
            label="Rows of tables"
            value={density.value}
            options={[["dense", "Dense"], ["normal", "Normal"], ["tall", "Tall"]]}
            onChange={(value) => store({ density: value })}
          />
        </div>
        <div class="setting">
          <span>Single keys are shortcuts <span class="faint">(? lists them)</span></span>
          <Switch label="Single keys are shortcuts" checked={shortcutsOn.value} onChange={(on) => store({ shortcuts: on })} />
        </div>
      </div>
    </Section>
  );
}
