import { present } from '../../config/definition/present.ts';
import type { Scope } from '../reference/resolve-reference.ts';
import type { Action } from './action.ts';
import type { Graph } from './graph.ts';
import { isDone, type NodeRecord, type Run, type RunHead } from './state.ts';

/** What one event changes: the head, the nodes that are not as before, and what is to be done once both are stored. */
export interface Change {
  readonly head: RunHead;
  readonly nodes: readonly NodeRecord[];
  readonly actions: readonly Action[];
}

/** A change while it is made: it is read like the run, and holds only what is new, however large the run is. */
export class RunDraft {
  readonly graph: Graph;
  readonly atMs: number;
  readonly actions: Action[] = [];
  readonly #run: Run;
  readonly #nodes = new Map<string, NodeRecord>();
  #head: RunHead;

  constructor(graph: Graph, run: Run, atMs: number) {
    this.graph = graph;
    this.atMs = atMs;
    this.#run = run;
    this.#head = run.head;
  }

  get head(): RunHead {
    return this.#head;
  }

  node(id: string): NodeRecord {
    const record = this.#nodes.get(id) ?? this.#run.nodes.get(id);
    if (record === undefined) throw new Error(`the run has no record of node "${id}"`);
    return record;
  }

  /** Every node; only for what happens once in a run. */
  allNodes(): NodeRecord[] {
    return [...this.#run.nodes.keys()].map((id) => this.node(id));
  }

  /** Replaces the record of a node, and counts. */
  put(record: NodeRecord): void {
    const before = this.node(record.id);
    this.#nodes.set(record.id, record);
    const { open, active, waiting } = this.#head;
    this.#head = {
      ...this.#head,
      open: open + grown(before, record, (node) => !isDone(node)),
      active: active + grown(before, record, isActive),
      waiting: waiting + grown(before, record, (node) => node.state === 'waiting_approval'),
    };
  }

  stop(stopping: 'failed' | 'cancelled', stoppedBy?: string): void {
    this.#head = { ...this.#head, stopping, ...present({ stoppedBy }) };
  }

  /** Where references of the run's nodes are looked up. */
  scope(): Scope {
    return { input: this.#run.input, resultOf: (step) => this.node(step).result };
  }

  finished(): Change {
    const head = this.#settledHead();
    if (head.state === 'succeeded' || head.state === 'failed' || head.state === 'cancelled')
      this.actions.push({ kind: 'end_run', state: head.state });
    return { head, nodes: [...this.#nodes.values()], actions: this.actions };
  }

  /** The run's own state follows from what its nodes do. */
  #settledHead(): RunHead {
    const { revision, stopping, open, active, waiting, startedAtMs = this.atMs } = this.#head;
    const next = { ...this.#head, revision: revision + 1, startedAtMs };
    if (active === 0 && (stopping !== undefined || open === 0))
      return { ...next, state: stopping ?? 'succeeded', endedAtMs: this.atMs };
    return { ...next, state: active > 0 && active === waiting ? 'waiting_approval' : 'running' };
  }
}

/** Ordered to start, and not done. */
export function isActive(record: NodeRecord): boolean {
  return record.attempt > 0 && !isDone(record);
}

function grown(before: NodeRecord, after: NodeRecord, has: (record: NodeRecord) => boolean): number {
  return Number(has(after)) - Number(has(before));
}
