import type { Answer } from '../../api/read.ts';
import type { ShownNode } from '../canvas/cards.ts';

type Node = Answer<'showPipelineRun'>['nodes'][number];

/** What the cards of the graph say of a run. */
export function shownNodes(nodes: readonly Node[]): ReadonlyMap<string, ShownNode> {
  return new Map(nodes.map((node) => [node.node, { state: node.status, note: noteOf(node) }]));
}

function noteOf({ error, holds, carried, retry_at, attempt, exit_code }: Node): string | undefined {
  if (error !== undefined) return error;
  if (holds !== undefined) return holds ? 'true' : 'false';
  if (carried) return 'taken from the run before';
  if (retry_at !== undefined) return `try ${attempt} waits`;
  if (exit_code !== undefined && exit_code !== 0) return `exit ${exit_code}`;
  return attempt > 1 ? `try ${attempt}` : undefined;
}

/** The node that people want to see first: what runs, else what failed, else the last that did anything. */
export function firstToShow(nodes: readonly Node[]): string | undefined {
  const steps = nodes.filter(({ attempts }) => attempts.length > 0);
  const best =
    steps.find(({ status }) => status === 'running' || status === 'waiting_approval') ??
    steps.find(({ status }) => status === 'failed') ??
    steps.toSorted((one, other) => (one.ended_at ?? '').localeCompare(other.ended_at ?? '')).at(-1);
  return best?.node;
}
