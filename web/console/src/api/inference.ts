// Inference: catalogue of models, upstreams, engines, limits, prices.

import { change, get, read } from "./client";
import type { PageQuery } from "./paging";
import type {
  CatalogueModel, CatalogueModelPage, CostCreateReply, CostCreateRequest, CostPurgeRequest, CostQueryReply,
  CostQueryRequest, Empty, Engine, EnginePage, Limit, LimitChange, LimitPage, ModelChange, NewLimit, NewModel,
  NewUpstream, QuarantinedAdapterPage, Upstream, UpstreamChange, UpstreamPage, UpstreamTest,
} from "./schema";
import { path } from "./urls";

export type {
  CatalogueModel, CatalogueModelPage, Cost, CostCreateReply, CostCreateRequest, CostEntry, CostPurgeRequest,
  CostQueryReply, CostQueryRequest, Empty, Engine, EnginePage, Limit, LimitChange, LimitPage, ModelChange,
  ModelTarget, NewLimit, NewModel, NewUpstream, QuarantinedAdapter, QuarantinedAdapterPage, Query, SortBy,
  Upstream, UpstreamChange, UpstreamPage, UpstreamTest,
} from "./schema";

/** List the models of the catalogue. */
export function listModels(query: PageQuery = {}, signal?: AbortSignal): Promise<CatalogueModelPage> {
  return get<CatalogueModelPage>("api/v1/models", query, signal);
}

/** Add a model to the catalogue. */
export function addModel(body: NewModel): Promise<CatalogueModel> {
  return change<CatalogueModel>("POST", "api/v1/models", body);
}

/** Show a model of the catalogue. */
export function getModel(name: string, signal?: AbortSignal): Promise<CatalogueModel> {
  return get<CatalogueModel>(path`api/v1/models/${name}`, {}, signal);
}

/** Change a model of the catalogue. */
export function changeModel(name: string, body: ModelChange): Promise<CatalogueModel> {
  return change<CatalogueModel>("PATCH", path`api/v1/models/${name}`, body);
}

/** Remove a model from the catalogue. */
export function removeModel(name: string, query: { force?: boolean } = {}): Promise<void> {
  return change<void>("DELETE", path`api/v1/models/${name}`, undefined, query);
}

/** List the upstreams. */
export function listUpstreams(query: PageQuery = {}, signal?: AbortSignal): Promise<UpstreamPage> {
  return get<UpstreamPage>("api/v1/upstreams", query, signal);
}

/** Add an upstream. */
export function addUpstream(body: NewUpstream): Promise<Upstream> {
  return change<Upstream>("POST", "api/v1/upstreams", body);
}

/** Show an upstream. */
export function getUpstream(name: string, signal?: AbortSignal): Promise<Upstream> {
  return get<Upstream>(path`api/v1/upstreams/${name}`, {}, signal);
}

/** Change an upstream. */
export function changeUpstream(name: string, body: UpstreamChange): Promise<Upstream> {
  return change<Upstream>("PATCH", path`api/v1/upstreams/${name}`, body);
}

/** Remove an upstream. */
export function removeUpstream(name: string, query: { force?: boolean } = {}): Promise<void> {
  return change<void>("DELETE", path`api/v1/upstreams/${name}`, undefined, query);
}

/** Test an upstream. */
export function testUpstream(name: string): Promise<UpstreamTest> {
  return change<UpstreamTest>("POST", path`api/v1/upstreams/${name}/test`);
}

/** List the engines of this machine. */
export function listEngines(signal?: AbortSignal): Promise<EnginePage> {
  return get<EnginePage>("api/v1/engines", {}, signal);
}

/** Unload a model. */
export function unloadEngine(model: string): Promise<Engine> {
  return change<Engine>("POST", path`api/v1/engines/${model}/unload`);
}

/** List limits. */
export function listLimits(
  query: PageQuery & { project?: string; key?: string } = {},
  signal?: AbortSignal,
): Promise<LimitPage> {
  return get<LimitPage>("api/v1/limits", query, signal);
}

/** Create a limit. */
export function createLimit(body: NewLimit): Promise<Limit> {
  return change<Limit>("POST", "api/v1/limits", body);
}

/** Show a limit. */
export function getLimit(id: string, signal?: AbortSignal): Promise<Limit> {
  return get<Limit>(path`api/v1/limits/${id}`, {}, signal);
}

/** Change a limit. */
export function changeLimit(id: string, body: LimitChange): Promise<Limit> {
  return change<Limit>("PATCH", path`api/v1/limits/${id}`, body);
}

/** Remove a limit. */
export function deleteLimit(id: string): Promise<void> {
  return change<void>("DELETE", path`api/v1/limits/${id}`);
}

/** List quarantined adapters. */
export function listQuarantinedAdapters(signal?: AbortSignal): Promise<QuarantinedAdapterPage> {
  return get<QuarantinedAdapterPage>("api/v1/quarantined-adapters", {}, signal);
}

/** Release an adapter from quarantine. */
export function releaseAdapter(id: string): Promise<void> {
  return change<void>("DELETE", path`api/v1/quarantined-adapters/${id}`);
}

/** List the prices of a project. */
export function listPrices(body: CostQueryRequest, signal?: AbortSignal): Promise<CostQueryReply> {
  return read<CostQueryReply>("cost/query", body, signal);
}

/** Add prices of models to a project. */
export function createPrices(body: CostCreateRequest): Promise<CostCreateReply> {
  return change<CostCreateReply>("POST", "cost/create", body);
}

/** Delete prices of a project by id. */
export function purgePrices(body: CostPurgeRequest): Promise<Empty> {
  return change<Empty>("POST", "cost/purge", body);
}
