import { type ExpectedVersion, refuseOtherVersion } from '../../api/expected-version.ts';
import { refuseFields } from '../../api/field-problem.ts';
import { isMapping } from '../../config/definition/sound-parts.ts';
import type { ValidationIssue } from '../../config/finding.ts';
import type { WireDefinition } from '../../protocol/definition.ts';
import { refuse } from '../../refusal.ts';
import type { StepSurroundings } from '../definition/check-call.ts';
import { checkPipeline } from '../definition/check-pipeline.ts';
import { definitionOfPipeline } from '../definition/definition-of-pipeline.ts';
import type { Pipeline } from '../definition/pipeline.ts';
import { managedSecretOf } from '../definition/trigger-secret.ts';
import { withSlug } from '../definition/written-slug.ts';

/** A pipeline as far as changes of it are decided on it. */
export interface ManagedPipeline {
  readonly source: 'config' | 'api';
  /** The agent in whose file it stands, for `config`. */
  readonly registeredBy: string | undefined;
  readonly version: number;
  readonly pipeline: Pipeline;
  readonly definition: WireDefinition;
}

/** What is to be stored. */
export interface PipelineChange {
  /** The secret of its trigger is there only as `$svc:NAME`. */
  readonly pipeline: Pipeline;
  readonly definition: WireDefinition;
  /** A secret of its own: to be sealed, to stay as it is, or to go. */
  readonly secret: { readonly kind: 'new'; readonly value: string } | { readonly kind: 'kept' | 'none' };
}

/** What was sent, by wire names; null takes a field away. */
export type PipelineFieldChanges = Readonly<Record<string, unknown>>;

/** The pipeline of a definition that was sent; refuses it with everything that is wrong. */
export function decideNewPipeline(
  fields: PipelineFieldChanges,
  surroundings: StepSurroundings,
): PipelineChange {
  const checked = checkPipeline(withoutNulls(fields), surroundings);
  if (checked.kind === 'findings') throw refuseFindings(checked.findings);
  const { secret, ...trigger } = checked.pipeline.trigger;
  if (secret === undefined || managedSecretOf(secret) !== undefined)
    return change(checked.pipeline, { kind: 'none' });
  return change({ ...checked.pipeline, trigger }, { kind: 'new', value: secret });
}

/**
 * The pipeline after a change. Fields of the trigger are changed one by one; nodes are replaced whole, and so are edges, which
 * give way to the `needs` of new nodes.
 */
export function decidePipelineChange(
  current: ManagedPipeline,
  changes: PipelineFieldChanges,
  { expected, ...surroundings }: StepSurroundings & { readonly expected: ExpectedVersion },
): PipelineChange {
  refuseOtherVersion('pipeline', current.version, expected);
  refuseOfFile(current, 'changed there');
  const named = withSlug(withoutUndefined(changes), []);
  if (named.findings.length > 0) throw refuseFindings(named.findings);
  const { trigger, ...others } = named.value;
  const base = hasNeeds(others) ? without(current.definition, 'edges') : current.definition;
  const next = { ...base, ...others, trigger: changedTrigger(base.trigger, trigger) };
  const decided = decideNewPipeline(next, surroundings);
  const isKept = decided.secret.kind === 'none' && keepsSecret(decided.pipeline, trigger);
  return isKept ? { ...decided, secret: { kind: 'kept' } } : decided;
}

/** Refuses to delete what would be back with the next start of its agent. */
export function decidePipelineRemoval(current: ManagedPipeline, expected: ExpectedVersion): void {
  refuseOtherVersion('pipeline', current.version, expected);
  refuseOfFile(current, 'taken out there');
}

/** Nothing of one from a file is overridden: what stands in its repository is what runs (decision 33). */
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

/** Without a word about it a secret stays, as long as there is something for it to sign. */
function keepsSecret({ trigger }: Pipeline, changes: unknown): boolean {
  const isMentioned = changes === null || (isMapping(changes) && changes.secret !== undefined);
  return trigger.type === 'webhook' && trigger.secret === undefined && !isMentioned;
}

function changedTrigger(before: unknown, changes: unknown): unknown {
  if (changes === undefined) return before;
  if (!isMapping(changes) || !isMapping(before)) return changes;
  // What only a webhook has goes with it, unless it is sent: then the sender is told.
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

function refuseFindings(findings: readonly ValidationIssue[]) {
  return refuseFields(
    findings.map(({ path, message, offset }) => ({
      path,
      message,
      ...(offset === undefined ? {} : { offset }),
    })),
  );
}
