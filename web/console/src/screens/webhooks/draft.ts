// What the form of a webhook holds, and what is sent for it.

import type { NewWebhook, Webhook } from "../../api/automation";
import type { NewSecret } from "../../api/identity";

/** The choice of a secret that does not exist yet. No secret can have this name. */
export const NEW = "(new)";
export const SECRET_NAME = /^[A-Za-z0-9_]{1,64}$/;

export interface SecretDraft {
  /** "" for none, NEW, or the name of a secret. */
  choice: string;
  name: string;
  value: string;
}

export interface WebhookDraft {
  name: string;
  url: string;
  token: SecretDraft;
  signing: SecretDraft;
  concurrency: number | null;
}

function secretDraft(ref: string | null): SecretDraft {
  return { choice: ref ?? "", name: "", value: "" };
}

export function draftOf(webhook: Webhook | null): WebhookDraft {
  return {
    name: webhook?.name ?? "",
    url: webhook?.url_endpoint ?? "",
    token: secretDraft(webhook?.access_token_ref ?? null),
    signing: secretDraft(webhook?.secret_ref ?? null),
    concurrency: webhook?.max_concurrency ?? 4,
  };
}

/** The secrets to create before the webhook. */
export function newSecrets({ token, signing }: WebhookDraft): NewSecret[] {
  return [token, signing].filter(({ choice }) => choice === NEW).map(({ name, value }) => ({ name, value }));
}

function reference({ choice, name }: SecretDraft): string | null {
  return choice === "" ? null : choice === NEW ? name : choice;
}

export function bodyOf(draft: WebhookDraft): NewWebhook {
  return {
    name: draft.name.trim(),
    url_endpoint: draft.url.trim(),
    access_token_ref: reference(draft.token),
    secret_ref: reference(draft.signing),
    max_concurrency: draft.concurrency ?? 4,
  };
}

/** Returns why an address cannot be an endpoint, or null. The server checks it again. */
export function addressError(text: string): string | null {
  if (text.trim() === "") return null;
  let address: URL;
  try {
    address = new URL(text.trim());
  } catch {
    return "Write the whole address, such as https://ci.example.com/hooks.";
  }
  if (address.protocol !== "https:" && address.protocol !== "http:") return "The address must begin with https.";
  if (address.username !== "" || address.password !== "") return "Leave out the user name and password; use an access token.";
  return null;
}

export function isComplete(draft: WebhookDraft, existing: readonly string[]): boolean {
  const secrets = newSecrets(draft);
  const names = new Set(secrets.map(({ name }) => name));
  return (
    draft.name.trim() !== "" &&
    draft.url.trim() !== "" &&
    addressError(draft.url) === null &&
    (draft.concurrency ?? 4) >= 1 &&
    (draft.concurrency ?? 4) <= 16 &&
    names.size === secrets.length &&
    secrets.every(({ name, value }) => SECRET_NAME.test(name) && value !== "" && !existing.includes(name))
  );
}
