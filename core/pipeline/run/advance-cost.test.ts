import { expect, test } from 'bun:test';
import type { Edge, Pipeline } from '../definition/pipeline.ts';
import { advance } from './advance.ts';
import type { RunEvent } from './event.ts';
import { graphOf } from './graph.ts';
import { applyRunChange, newRun, retainedRun } from './new-run.ts';
import type { NodeRecord } from './state.ts';

/** Counts the records that are read; reading all of them counts as that many. */
class CountedNodes extends Map<string, NodeRecord> {
  reads = 0;

  override get(id: string): NodeRecord | undefined {
    this.reads += 1;
    return super.get(id);
  }

  override keys() {
    this.reads += this.size;
    return super.keys();
  }

  override values() {
    this.reads += this.size;
    return super.values();
  }

  override [Symbol.iterator]() {
    this.reads += this.size;
    return super[Symbol.iterator]();
  }
}

const SHAPES = {
  chain: (count: number) => edgesOf(count, (index) => [index === 0 ? 'trigger' : `n${index - 1}`]),
  /** All at once between a first and a last. */
  wide: (count: number) =>
    edgesOf(count, (index) => {
      if (index === 0) return ['trigger'];
      return index < count - 1 ? ['n0'] : Array.from({ length: count - 2 }, (_, at) => `n${at + 1}`);
    }),
};

function edgesOf(count: number, parents: (index: number) => readonly string[]): Edge[] {
  return Array.from({ length: count }, (_, index) =>
    parents(index).map((from): Edge => ({ from, to: `n${index}` })),
  ).flat();
}

/** Runs the pipeline to its end; returns the number of records read and stored. */
function costOf(count: number, edges: readonly Edge[]): { reads: number; stored: number } {
  const nodes = Array.from({ length: count }, (_, index) => ({
    kind: 'step' as const,
    id: `n${index}`,
    endpoint: 'e',
    args: {},
    env: {},
    onFailure: 'stop' as const,
  }));
  const trigger = { type: 'manual', public: false, inputSchema: [] } as const;
  const pipeline: Pipeline = { slug: 'x', trigger, nodes, edges };
  const graph = graphOf(pipeline);
  const fresh = newRun(graph, {});
  const counted = new CountedNodes(fresh.nodes);
  const run = { ...retainedRun({ ...fresh, nodes: [] }), nodes: counted };
  counted.reads = 0;
  let stored = 0;
  const events: RunEvent[] = [{ kind: 'started', atMs: 0 }];
  for (const event of events) {
    const change = advance(graph, run, event);
    if (change === undefined) throw new Error('an event that changed nothing');
    applyRunChange(run, change);
    stored += change.nodes.length;
    for (const action of change.actions) {
      if (action.kind !== 'start_step') continue;
      const about = { step: action.step, attempt: action.attempt, atMs: 0 };
      events.push({ kind: 'step_started', ...about }, { kind: 'step_ended', ...about, outcome: 'succeeded' });
    }
  }
  expect(run.head.state).toBe('succeeded');
  return { reads: counted.reads, stored };
}

test.each(Object.entries(SHAPES))(
  'a %s of 1,000 steps costs ten times what one of 100 costs, not a hundred times',
  (_, shape) => {
    const [small, large] = [costOf(100, shape(100)), costOf(1_000, shape(1_000))];
    expect(large.reads).toBeLessThan(small.reads * 11);
    expect(large.reads).toBeLessThan(1_000 * 20);
    expect(large.stored).toBeLessThan(small.stored * 11);
  },
);
