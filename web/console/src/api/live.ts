// Live updates: one EventSource per tab for the topics that any part of the page listens to.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { url } from "./urls";

/** A hint that something changed: read it again. `resync` means that hints may have been missed. */
export interface LiveEvent {
  topic: string;
  type: "hint" | "resync";
  data: Record<string, unknown>;
}

export type LiveListener = (event: LiveEvent) => void;

/** True while the stream is open. */
export const live = signal(false);

const KINDS = ["calls", "runs", "jobs", "evaluations", "deliveries"] as const;
export type LiveKind = (typeof KINDS)[number];

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
/** Hidden tabs give their connection back: browsers allow six per server over HTTP/1.1. */
const HIDDEN_MS = 20_000;

const listeners = new Map<string, Set<LiveListener>>();
let source: EventSource | null = null;
let openTopics = "";
let wait = FIRST_WAIT_MS;
let timer: ReturnType<typeof setTimeout> | undefined;
let hiddenTimer: ReturnType<typeof setTimeout> | undefined;
let interrupted = false;

function wantedTopics(): string {
  return [...listeners.keys()].sort().join(",");
}

function emit(topic: string, event: LiveEvent): void {
  for (const listener of [...(listeners.get(topic) ?? [])]) listener(event);
}

function resyncAll(): void {
  for (const topic of [...listeners.keys()]) emit(topic, { topic, type: "resync", data: {} });
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function receive(kind: LiveKind, message: MessageEvent<string>): void {
  const data = parse(message.data);
  const place = kind === "deliveries" ? data.team : data.project;
  const topic = `${kind}:${String(place ?? "")}`;
  emit(topic, { topic, type: "hint", data });
}

function close(): void {
  clearTimeout(timer);
  source?.close();
  source = null;
  openTopics = "";
  live.value = false;
}

function open(): void {
  const topics = wantedTopics();
  close();
  if (topics === "" || document.hidden) return;
  openTopics = topics;
  const stream = new EventSource(url("api/v1/stream", { topics }));
  source = stream;
  stream.onopen = () => {
    live.value = true;
    wait = FIRST_WAIT_MS;
    if (interrupted) resyncAll();
    interrupted = false;
  };
  stream.onerror = () => {
    live.value = false;
    // The browser reconnects by itself, with Last-Event-ID, unless the server refused.
    if (stream.readyState !== EventSource.CLOSED || source !== stream) return;
    interrupted = true;
    timer = setTimeout(open, wait * (0.75 + Math.random() / 2));
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  };
  stream.addEventListener("resync", resyncAll);
  for (const kind of KINDS) stream.addEventListener(kind, (message) => receive(kind, message as MessageEvent<string>));
}

/** Opens the stream for the present topics, after all changes of the same moment. */
function update(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (wantedTopics() !== openTopics) open();
  }, 50);
}

function onVisibility(): void {
  clearTimeout(hiddenTimer);
  if (document.hidden) {
    hiddenTimer = setTimeout(() => {
      if (!source) return;
      interrupted = true;
      close();
    }, HIDDEN_MS);
  } else if (!source) {
    open();
  }
}

/** Calls `listener` for each event of a topic, such as `calls:acme/support`. Returns the way to stop. */
export function subscribe(topic: string, listener: LiveListener): () => void {
  // The server separates topics by commas, and the name of a project may contain one.
  if (topic.includes(",")) return () => undefined;
  if (listeners.size === 0) document.addEventListener("visibilitychange", onVisibility);
  const known = listeners.get(topic) ?? new Set();
  listeners.set(topic, known.add(listener));
  update();
  return () => {
    known.delete(listener);
    if (known.size > 0 || listeners.get(topic) !== known) return;
    listeners.delete(topic);
    if (listeners.size === 0) document.removeEventListener("visibilitychange", onVisibility);
    update();
  };
}

/** Calls `listener` while the component is shown. An empty place (no project yet) listens to nothing. */
export function useLive(kind: LiveKind, place: string | null | undefined, listener: LiveListener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => (place ? subscribe(`${kind}:${place}`, (event) => latest.current(event)) : undefined), [kind, place]);
}
