// The name of a step with the icon of its kind.

import { lookup } from "../../format/lookup";
import { Icon, type IconName } from "../../ui/icons";
import { SafeText } from "../../ui/safe_text";
import { Status, type Tone } from "../../ui/status";
import { opName } from "./call_facts";

const ICONS = lookup<[IconName, Tone]>({ agent: ["bot", "agent"], tool: ["tool", "tool"], model: ["chat", "model"], call: ["code", "info"] });

export function StepName({ name, kind, status }: { name: string; kind: string; status: string }) {
  const [icon, tone] = ICONS[kind] ?? ICONS.call!;
  return (
    <span class="step-name">
      <Icon name={icon} size={14} class={`ui-tone-${tone}`} />
      <span class={status === "error" ? "truncate ui-tone-error" : "truncate"}><SafeText text={opName(name)} line /></span>
      {status !== "ok" && <Status state={status} signOnly />}
    </span>
  );
}
