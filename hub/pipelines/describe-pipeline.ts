import { clauseOf, formatPath, type ValidationIssue } from '@svc/core/config/validation-issue';
import { textPositions } from '@svc/core/config/yaml/text-position';
import type { PipelineNode, Trigger } from '@svc/core/pipeline/definition/pipeline';
import { time } from '../platform/http/json-response.ts';
import type { Settings } from '../platform/settings.ts';
import type { PipelineVersion, PipelineVersionHead, RegisteredPipeline } from './pipeline-ports.ts';

export interface DescribePipelineDeps {
  readonly settings: Settings;
}

/** The limit of listed problems, the same as for a refused request. */
const MAX_PROBLEMS = 100;

interface Described {
  readonly registered: RegisteredPipeline;
  readonly problems: readonly ValidationIssue[];
}

/** A complete pipeline for the API. Its nodes and edges can be sent back unchanged. */
export function describePipeline(
  deps: DescribePipelineDeps,
  username: string | undefined,
  described: Described,
) {
  const { nodes, edges } = described.registered.pipeline;
  return { ...describeHead(deps, username, described), nodes: nodes.map(describeNode), edges };
}

/** A pipeline for the API without its graph. */
export function describeSummary(
  deps: DescribePipelineDeps,
  username: string | undefined,
  described: Described,
) {
  const { length } = described.registered.pipeline.nodes;
  return { ...describeHead(deps, username, described), node_count: length };
}

export function describeVersionHead({ version, source, createdAtMs }: PipelineVersionHead) {
  return { version, source, created_at: time(createdAtMs) };
}

export function describePipelineVersion(one: PipelineVersion) {
  const definition = JSON.parse(one.definition) as Record<string, unknown>;
  return { ...describeVersionHead(one), definition };
}

/** The validation issues that an editor shows beside the drawing. */
export function describeIssue(root: unknown, issue: ValidationIssue) {
  const { path, offset } = issue;
  const message = clauseOf(issue);
  const text = path.reduce<unknown>((value, part) => (value as Record<string, unknown>)?.[part], root);
  if (offset === undefined || typeof text !== 'string') return { path: formatPath(path), message };
  const { line, column } = textPositions(text)(offset);
  return { path: formatPath(path), message, position: { offset, line, column } };
}

function describeHead(
  { settings }: DescribePipelineDeps,
  username: string | undefined,
  { registered, problems }: Described,
) {
  const { pipeline, sealedSecret } = registered;
  const { slug, trigger, description, tags, mcp } = pipeline;
  return {
    id: registered.id,
    slug,
    name: slug,
    url: `${settings.baseUrl}/v1/${username ?? ''}/${slug}`,
    source: registered.source,
    agent_name: registered.registeredBy ?? null,
    version: registered.version,
    created_at: time(registered.createdAtMs),
    updated_at: time(registered.updatedAtMs),
    description: description ?? null,
    tags: tags ?? null,
    mcp: mcp ?? null,
    trigger: describeTrigger(trigger),
    has_secret: sealedSecret !== undefined || trigger.secret !== undefined,
    problems: problems
      .slice(0, MAX_PROBLEMS)
      .map(({ path, message }) => ({ path: formatPath(path), message })),
  };
}

function describeTrigger({ type, public: isPublic, inputSchema, secret }: Trigger) {
  return { type, public: isPublic, input_schema: inputSchema, ...(secret === undefined ? {} : { secret }) };
}

function describeNode(node: PipelineNode) {
  if (node.kind === 'condition') return node;
  const { agentName, onFailure, timeoutSec, retry, ...rest } = node;
  return {
    ...rest,
    agent_name: agentName,
    on_failure: onFailure,
    timeout: timeoutSec,
    retry: retry && { limit: retry.limit, backoff: retry.backoffSec },
  };
}
