import { present } from '../../config/definition/present.ts';
import type { Scope } from '../reference/resolve-reference.ts';
import type { RunAction } from './action.ts';
import type { Graph } from './graph.ts';
import { isDone, type NodeRecord, type Run, type RunHead } from './state.ts';

/** The change that one event makes: the head, the changed nodes, and the actions to do after both are stored. */
export interface Change {
  readonly head: RunHead;
  readonly nodes: readonly NodeRecord[];
  readonly actions: readonly RunAction[];
}

/** A change in the making. It can be read like the run, and contains only the new parts, whatever the size of the run. */
export class RunDraft {
  readonly graph: Graph;
  readonly atMs: number;
  readonly actions: RunAction[] = [];
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

  /** All nodes; only for steps that happen once in a run, because it reads them all. */
  allNodes(): NodeRecord[] {
    return [...this.#run.nodes.keys()].map((id) => this.node(id));
  }

  /** Replaces the record of a node and updates the counts. */
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

  /** The source of values for the references of the run's nodes. */
  scope(): Scope {
    return { input: this.#run.input, resultOf: (step) => this.node(step).result };
  }

  finished(): Change {
    const head = this.#settledHead();
    if (head.state === 'succeeded' || head.state === 'failed' || head.state === 'cancelled')
      this.actions.push({ kind: 'end_run', state: head.state });
    return { head, nodes: [...this.#nodes.values()], actions: this.actions };
  }

  /** The state of the run follows from the states of its nodes. */
  #settledHead(): RunHead {
    const { revision, stopping, open, active, waiting, startedAtMs = this.atMs } = this.#head;
    const next = { ...this.#head, revision: revision + 1, startedAtMs };
    if (active === 0 && (stopping !== undefined || open === 0))
      return { ...next, state: stopping ?? 'succeeded', endedAtMs: this.atMs };
    return { ...next, state: active > 0 && active === waiting ? 'waiting_approval' : 'running' };
  }
}

/** The states of a node that was ordered to start and has not ended. */
export function isActive(record: NodeRecord): boolean {
  return record.attempt > 0 && !isDone(record);
}

function grown(before: NodeRecord, after: NodeRecord, has: (record: NodeRecord) => boolean): number {
  return Number(has(after)) - Number(has(before));
}
