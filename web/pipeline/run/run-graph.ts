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
    steps.find(isOpen) ??
    steps.find(({ status }) => status === 'failed') ??
    steps.toSorted((one, other) => (one.ended_at ?? '').localeCompare(other.ended_at ?? '')).at(-1);
  return best?.node;
}

/** The state that a page showed last. */
export interface ShownBefore {
  readonly nodes: readonly Node[];
  readonly node: string | undefined;
}

/**
 * The node to show after a change of the run: the page follows what runs, and then what changed last. A step that is open stays,
 * and so does the one that a person just approved.
 */
export function nextToShow(nodes: readonly Node[], before: ShownBefore): string | undefined {
  const shown = nodes.find(({ node }) => node === before.node);
  if (shown !== undefined && isOpen(shown)) return shown.node;
  const known = new Map(before.nodes.map(({ node, status }) => [node, status]));
  const changed = nodes.filter(({ node, status }) => known.get(node) !== status);
  return firstToShow(nodes.filter(isOpen)) ?? firstToShow(changed) ?? before.node;
}

function isOpen({ status }: Node): boolean {
  return status === 'running' || status === 'waiting_approval';
}
