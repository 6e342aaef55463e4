import { type ExpectedVersion, refuseOtherVersion } from '../../api/expected-version.ts';
import { problemOf, refuseFields } from '../../api/field-problem.ts';
import { isMapping } from '../../config/definition/sound-parts.ts';
import type { ValidationIssue } from '../../config/validation-issue.ts';
import type { WireDefinition } from '../../protocol/definition.ts';
import { refuse } from '../../refusal.ts';
import type { StepSurroundings } from '../definition/check-call.ts';
import { checkPipeline } from '../definition/check-pipeline.ts';
import { definitionOfPipeline } from '../definition/definition-of-pipeline.ts';
import type { Pipeline } from '../definition/pipeline.ts';
import { managedSecretOf } from '../definition/trigger-secret.ts';
import { withSlug } from '../definition/written-slug.ts';

/** The current pipeline, as far as the decision on a change needs it. */
export interface ManagedPipeline {
  readonly source: 'config' | 'api';
  /** The agent whose file defines the pipeline, for `config`. */
  readonly registeredBy: string | undefined;
  readonly version: number;
  readonly pipeline: Pipeline;
  readonly definition: WireDefinition;
}

/** The next version to store. */
export interface PipelineChange {
  /** In this definition the secret of the trigger appears only as `$svc:NAME`. */
  readonly pipeline: Pipeline;
  readonly definition: WireDefinition;
  /** The trigger's own secret: a new one to seal, the stored one to keep, or none. */
  readonly secret: { readonly kind: 'new'; readonly value: string } | { readonly kind: 'kept' | 'none' };
}

/** The sent fields, by wire name. Null removes a field. */
export type PipelineFieldChanges = Readonly<Record<string, unknown>>;

/** The pipeline of a sent definition. Refuses with all issues. */
export function decideNewPipeline(
  fields: PipelineFieldChanges,
  surroundings: StepSurroundings,
): PipelineChange {
  const checked = checkPipeline(withoutNulls(fields), surroundings);
  if (checked.kind === 'issues') throw refuseIssues(checked.issues);
  const { secret, ...trigger } = checked.pipeline.trigger;
  if (secret === undefined || managedSecretOf(secret) !== undefined)
    return change(checked.pipeline, { kind: 'none' });
  return change({ ...checked.pipeline, trigger }, { kind: 'new', value: secret });
}

/**
 * The pipeline after a change. Fields of the trigger change one by one. Nodes are replaced as a whole, and so are edges;
 * new nodes with `needs` replace the edges too.
 */
export function decidePipelineChange(
  current: ManagedPipeline,
  changes: PipelineFieldChanges,
  { expected, ...surroundings }: StepSurroundings & { readonly expected: ExpectedVersion },
): PipelineChange {
  refuseOtherVersion('pipeline', current.version, expected);
  refuseOfFile(current, 'changed there');
  const named = withSlug(withoutUndefined(changes), []);
  if (named.issues.length > 0) throw refuseIssues(named.issues);
  const { trigger, ...others } = named.value;
  const base = hasNeeds(others) ? without(current.definition, 'edges') : current.definition;
  const next = { ...base, ...others, trigger: changedTrigger(base.trigger, trigger) };
  const decided = decideNewPipeline(next, surroundings);
  const isKept = decided.secret.kind === 'none' && keepsSecret(decided.pipeline, trigger);
  return isKept ? { ...decided, secret: { kind: 'kept' } } : decided;
}

/** Refuses to delete a pipeline that the next start of its agent would register again. */
export function decidePipelineRemoval(current: ManagedPipeline, expected: ExpectedVersion): void {
  refuseOtherVersion('pipeline', current.version, expected);
  refuseOfFile(current, 'taken out there');
}

/**
 * A pipeline from a file has no overrides: what runs is what its repository contains (decision 33, the file is the source
 * of its endpoints).
 */
function refuseOfFile(
  { source, registeredBy: agent = 'default', pipeline }: ManagedPipeline,
  how: string,
): void {
  if (source === 'api') return;
  const message =
    `"${pipeline.slug}" stands in the file of the agent "${agent}", and is ${how}; ` +
    'if that agent is gone for good, connect one of its name with a file that does not have it';
  throw refuse('managed_by_config', message, { agent_name: agent });
}

function change(pipeline: Pipeline, secret: PipelineChange['secret']): PipelineChange {
  return { pipeline, definition: definitionOfPipeline(pipeline), secret };
}

/** A change that does not mention the secret keeps it, as long as the trigger still accepts webhooks. */
function keepsSecret({ trigger }: Pipeline, changes: unknown): boolean {
  const isMentioned = changes === null || (isMapping(changes) && changes.secret !== undefined);
  return trigger.type === 'webhook' && trigger.secret === undefined && !isMentioned;
}

function changedTrigger(before: unknown, changes: unknown): unknown {
  if (changes === undefined) return before;
  if (!isMapping(changes) || !isMapping(before)) return changes;
  // A change to a manual trigger also removes the keys that only a webhook can have. If the change itself sends such a key,
  // the check refuses it.
  const base = changes.type === 'manual' ? without(without(before, 'input_schema'), 'secret') : before;
  return withoutNulls({ ...base, ...withoutUndefined(changes) });
}

function hasNeeds({ nodes, edges }: PipelineFieldChanges): boolean {
  if (edges !== undefined || !Array.isArray(nodes)) return false;
  return nodes.some((node) => isMapping(node) && node.needs !== undefined);
}

function without(fields: PipelineFieldChanges, key: string): PipelineFieldChanges {
  const { [key]: _gone, ...others } = fields;
  return others;
}

function withoutNulls(fields: PipelineFieldChanges): PipelineFieldChanges {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function withoutUndefined(fields: PipelineFieldChanges): PipelineFieldChanges {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function refuseIssues(issues: readonly ValidationIssue[]) {
  return refuseFields(issues.map(problemOf));
}
