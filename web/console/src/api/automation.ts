// Automation: webhooks, rules, events, deliveries.

import { change, get, read } from "./client";
import type { PageQuery } from "./paging";
import type {
  Automation, AutomationChange, AutomationPage, AutomationPreview, AutomationPreviewRequest, Delivery, DeliveryCounts, DeliveryPage,
  DeliveryReplay, DeliveryStatistics, Event, EventPage, EventTypeList, NewAutomation, NewWebhook, NewWebhookTest, PayloadPresets, ProbeReport,
  RenderRequest, RenderedPayload, Webhook, WebhookChange, WebhookPage, WebhookRecovered, WebhookRecovery, WebhookStatistics, WebhookTest,
} from "./schema";
import { path, segments } from "./urls";

export type {
  Automation, AutomationAction, AutomationChange, AutomationEvent, AutomationPage, AutomationPreview,
  AutomationPreviewRequest, AutomationScope, Delivery,
  DeliveryAttempt, DeliveryError, DeliveryPage, DeliveryReplay, DeliveryRequest, Event, EventPage, EventSample,
  EventSubject, EventType, EventTypeFilter, EventTypeList, MetricCondition, NewAutomation, NewAutomationAction,
  NewWebhook, NewWebhookTest, PayloadPreset, PayloadPresets, ProbeError, ProbeReport, ProbeRequest, ProbeResponse,
  RenderRequest, RenderedPayload, RunFilter, ScoreCondition, TemplateWarning, Webhook, WebhookChange, WebhookPage,
  WebhookRecovered, WebhookRecovery, WebhookTest,
} from "./schema";

export type DeliveryStatus = keyof DeliveryCounts;

/** How the deliveries to a webhook went. */
export type WebhookHealth = WebhookStatistics;

/** List the webhooks of a team. */
export function listWebhooks(
  team: string,
  query: PageQuery & { status?: "active" | "disabled" } = {},
  signal?: AbortSignal,
): Promise<WebhookPage> {
  return get<WebhookPage>(path`api/v1/teams/${team}/webhooks`, query, signal);
}

/** Create a webhook. */
export function createWebhook(team: string, body: NewWebhook): Promise<Webhook> {
  return change<Webhook>("POST", path`api/v1/teams/${team}/webhooks`, body);
}

/** Show a webhook. */
export function getWebhook(team: string, id: string, signal?: AbortSignal): Promise<Webhook> {
  return get<Webhook>(path`api/v1/teams/${team}/webhooks/${id}`, {}, signal);
}

/** Change, disable or enable a webhook. */
export function changeWebhook(team: string, id: string, body: WebhookChange): Promise<Webhook> {
  return change<Webhook>("PATCH", path`api/v1/teams/${team}/webhooks/${id}`, body);
}

/** Delete a webhook. */
export function deleteWebhook(team: string, id: string): Promise<void> {
  return change<void>("DELETE", path`api/v1/teams/${team}/webhooks/${id}`);
}

/** Send a test delivery. */
export function testWebhook(team: string, id: string, body: WebhookTest): Promise<ProbeReport> {
  return change<ProbeReport>("POST", path`api/v1/teams/${team}/webhooks/${id}/test`, body);
}

/** Send a test delivery to a webhook that does not exist yet. */
export function testNewWebhook(team: string, body: NewWebhookTest): Promise<ProbeReport> {
  return change<ProbeReport>("POST", path`api/v1/teams/${team}/webhooks/test`, body);
}

/** Send the failed deliveries of a period again. */
export function recoverWebhook(team: string, id: string, body: WebhookRecovery): Promise<WebhookRecovered> {
  return change<WebhookRecovered>("POST", path`api/v1/teams/${team}/webhooks/${id}/recover`, body);
}

/** List the deliveries to a webhook. */
export function listWebhookDeliveries(
  team: string,
  id: string,
  query: PageQuery & { status?: DeliveryStatus; since?: string; until?: string } = {},
  signal?: AbortSignal,
): Promise<DeliveryPage> {
  return get<DeliveryPage>(path`api/v1/teams/${team}/webhooks/${id}/deliveries`, query, signal);
}

/** List automations. */
export function listAutomations(
  query: PageQuery & { name?: string; scope_type?: "organization" | "team" | "project" | "registry" | "collection"; team?: string; project?: string; registry?: string; event_type?: string; action_type?: "webhook" | "noop"; enabled?: boolean; created_by?: string } = {},
  signal?: AbortSignal,
): Promise<AutomationPage> {
  return get<AutomationPage>("api/v1/automations", query, signal);
}

/** Create an automation. */
export function createAutomation(body: NewAutomation): Promise<Automation> {
  return change<Automation>("POST", "api/v1/automations", body);
}

/** Show an automation. */
export function getAutomation(id: string, signal?: AbortSignal): Promise<Automation> {
  return get<Automation>(path`api/v1/automations/${id}`, {}, signal);
}

/** Change, enable or disable an automation. */
export function changeAutomation(id: string, body: AutomationChange): Promise<Automation> {
  return change<Automation>("PATCH", path`api/v1/automations/${id}`, body);
}

/** Delete an automation. */
export function deleteAutomation(id: string): Promise<void> {
  return change<void>("DELETE", path`api/v1/automations/${id}`);
}

/** Render the payload of an automation. */
export function renderAutomation(id: string, body: RenderRequest, signal?: AbortSignal): Promise<RenderedPayload> {
  return read<RenderedPayload>(path`api/v1/automations/${id}/render`, body, signal);
}

/** Render the payload of an automation before it is created. */
export function previewAutomation(body: AutomationPreviewRequest, signal?: AbortSignal): Promise<AutomationPreview> {
  return read<AutomationPreview>("api/v1/automations/preview", body, signal);
}

/** List the deliveries of an automation. */
export function listAutomationDeliveries(
  id: string,
  query: PageQuery & { status?: DeliveryStatus; since?: string; until?: string } = {},
  signal?: AbortSignal,
): Promise<DeliveryPage> {
  return get<DeliveryPage>(path`api/v1/automations/${id}/deliveries`, query, signal);
}

/** List the automations of a project. */
export function listProjectAutomations(
  project: string,
  query: PageQuery = {},
  signal?: AbortSignal,
): Promise<AutomationPage> {
  return get<AutomationPage>(path`api/v1/projects/${segments(project)}/automations`, query, signal);
}

/** List deliveries. */
export function listDeliveries(
  query: PageQuery & { status?: DeliveryStatus; since?: string; until?: string; team?: string; automation_id?: string; webhook_id?: string } = {},
  signal?: AbortSignal,
): Promise<DeliveryPage> {
  return get<DeliveryPage>("api/v1/deliveries", query, signal);
}

/** Show a delivery with its attempts. */
export function getDelivery(id: string, signal?: AbortSignal): Promise<Delivery> {
  return get<Delivery>(path`api/v1/deliveries/${id}`, {}, signal);
}

/** Cancel a delivery. */
export function cancelDelivery(id: string): Promise<Delivery> {
  return change<Delivery>("POST", path`api/v1/deliveries/${id}/cancel`);
}

/** Send a delivery again. */
export function replayDelivery(id: string, body: DeliveryReplay): Promise<Delivery> {
  return change<Delivery>("POST", path`api/v1/deliveries/${id}/replay`, body);
}

/** List the event types that automations can use. */
export function listEventTypes(signal?: AbortSignal): Promise<EventTypeList> {
  return get<EventTypeList>("api/v1/event-types", {}, signal);
}

/** List events. */
export function listEvents(
  query: PageQuery & { type?: string; team?: string; project?: string; registry?: string; collection?: string; run?: string; since?: string } = {},
  signal?: AbortSignal,
): Promise<EventPage> {
  return get<EventPage>("api/v1/events", query, signal);
}

/** Show an event with the ids of its deliveries. */
export function getEvent(id: string, signal?: AbortSignal): Promise<Event> {
  return get<Event>(path`api/v1/events/${id}`, {}, signal);
}

/** List the named payload templates. */
export function listPayloadPresets(signal?: AbortSignal): Promise<PayloadPresets> {
  return get<PayloadPresets>("api/v1/payload-presets", {}, signal);
}

/** Reads how deliveries to the webhooks of a team went. */
export function deliveryStats(
  query: { team: string; since?: string },
  signal?: AbortSignal,
): Promise<DeliveryStatistics> {
  return get<DeliveryStatistics>("api/v1/deliveries/stats", { ...query }, signal);
}
