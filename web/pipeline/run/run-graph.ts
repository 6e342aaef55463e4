import type { Answer } from '../../api/read.ts';
import type { ShownNode } from '../canvas/cards.ts';

type Node = Answer<'showPipelineRun'>['nodes'][number];

/** The states of the cards in a run. */
export function shownNodes(nodes: readonly Node[]): ReadonlyMap<string, ShownNode> {
  return new Map(nodes.map((node) => [node.node, { state: node.status, note: noteOf(node) }]));
}

function noteOf({ error, holds, carried, retry_at, attempt, exit_code }: Node): string | undefined {
  if (error !== undefined) return error;
  if (holds !== undefined) return holds ? 'true' : 'false';
  if (carried) return 'reused';
  if (retry_at !== undefined) return `waiting for attempt ${attempt}`;
  if (exit_code !== undefined && exit_code !== 0) return `exit ${exit_code}`;
  return attempt > 1 ? `attempt ${attempt}` : undefined;
}

/** The node to show first: a running one, else a failed one, else the last one that ran. */
export function firstToShow(nodes: readonly Node[]): string | undefined {
  const steps = nodes.filter(({ attempts }) => attempts.length > 0);
  const best =
    steps.find(({ status }) => status === 'running' || status === 'waiting_approval') ??
    steps.find(({ status }) => status === 'failed') ??
    steps.toSorted((one, other) => (one.ended_at ?? '').localeCompare(other.ended_at ?? '')).at(-1);
  return best?.node;
}
