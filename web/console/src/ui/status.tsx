// States as a sign and a word, and small labels. Colour only repeats what the word says.

import type { ComponentChildren } from "preact";

import { lookup } from "../format/lookup.ts";
import { classes } from "./class_names.ts";

export type Tone = "ok" | "error" | "running" | "warning" | "info" | "agent" | "tool" | "model" | "neutral" | "accent";

const SIGNS: Partial<Record<Tone, string>> = { ok: "✓", error: "✕", running: "◐", warning: "▲", info: "ℹ", neutral: "○" };

/** The words of the API for states, with their tone. */
const STATES = lookup<[Tone, string]>({
  success: ["ok", "ok"], ok: ["ok", "ok"], succeeded: ["ok", "succeeded"], completed: ["ok", "completed"], finished: ["ok", "finished"],
  delivered: ["ok", "delivered"], active: ["ok", "active"], enabled: ["ok", "enabled"], ready: ["ok", "ready"],
  error: ["error", "error"], failed: ["error", "failed"], crashed: ["error", "crashed"], exhausted: ["error", "exhausted"],
  descendant_error: ["warning", "error below"], retrying: ["warning", "retrying"], degraded: ["warning", "degraded"],
  running: ["running", "running"], started: ["running", "started"], pending: ["running", "pending"], queued: ["neutral", "queued"],
  cancelled: ["neutral", "cancelled"], canceled: ["neutral", "cancelled"], disabled: ["neutral", "disabled"], stopped: ["neutral", "stopped"],
});

export interface StatusProps {
  /** A state of the API in any case, such as `success`, `RUNNING` or `FAILED`. */
  state: string;
  /** Another word than the usual one. */
  word?: string;
  tone?: Tone;
  /** Shows the sign alone; the word is read out. */
  signOnly?: boolean;
}

export function Status({ state, word, tone, signOnly = false }: StatusProps) {
  const [usualTone, usualWord] = STATES[state.toLowerCase()] ?? ["neutral", state.toLowerCase()];
  const shown = tone ?? usualTone;
  const text = word ?? usualWord;
  return (
    <span class={classes("ui-status", `ui-tone-${shown}`)} title={signOnly ? text : undefined}>
      <span class="ui-status-sign" aria-hidden="true">{SIGNS[shown] ?? "●"}</span>
      <span class={signOnly ? "visually-hidden" : undefined}>{text}</span>
    </span>
  );
}

export interface BadgeProps {
  children: ComponentChildren;
  tone?: Tone;
  title?: string;
}

/** A small label: a kind, a tag, an alias, a count. */
export function Badge({ children, tone = "neutral", title }: BadgeProps) {
  return <span class={classes("ui-badge", `ui-tone-${tone}`)} title={title}>{children}</span>;
}
