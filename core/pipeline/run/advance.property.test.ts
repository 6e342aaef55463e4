import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { anyScript, type Script } from './fixtures/any-pipeline.ts';
import { expectedEnd } from './fixtures/expected-end.ts';
import { type Lived, World } from './fixtures/simulated-world.ts';
import { graphOf } from './graph.ts';
import { runAgain } from './rerun.ts';
import { hasRunEnded, isDone, type NodeState, type Run } from './state.ts';

const chance = fc.infiniteStream(fc.nat({ max: 1_000_000 }));

/** Dice that a failing test can be run again with. */
function diceOf(stream: Iterator<number>) {
  return (sides: number): number => (stream.next().value as number) % sides;
}

function live(script: Script, stream: Iterator<number>, cancelTurn?: number): Lived {
  const fate = {
    outcomes: (step: string) => script.outcomes.get(step) ?? [],
    dice: diceOf(stream),
    cancelTurn,
  };
  return new World(graphOf(script.pipeline), fate).live();
}

function statesOf(run: Run): Record<string, NodeState> {
  return Object.fromEntries([...run.nodes.values()].map(({ id, state }) => [id, state]));
}

/** The invariants in every world: it ends once, all is done, nothing started twice. */
function expectSound({ run, starts, ends }: Lived): void {
  expect(hasRunEnded(run.head)).toBe(true);
  expect(ends).toBe(1);
  expect([...run.nodes.values()].every(isDone)).toBe(true);
  expect(run.head).toMatchObject({ open: 0, active: 0, waiting: 0 });
  const keys = starts.map(({ step, attempt }) => `${step} ${attempt}`);
  expect(new Set(keys).size).toBe(keys.length);
}

test('where no failure stops the run, each node ends as the outcomes say, whatever crashes and comes twice', () => {
  fc.assert(
    fc.property(anyScript({ mayStop: false }), chance, (script, stream) => {
      const lived = live(script, stream);
      expectSound(lived);
      expect(statesOf(lived.run)).toEqual(Object.fromEntries(expectedEnd(script).states));
      expect(lived.run.head.state).toBe('succeeded');
    }),
    { numRuns: 3_000 },
  );
});

test('where failures stop the run, it ends as the outcomes say, and no step ends in a way of its own', () => {
  fc.assert(
    fc.property(anyScript({ mayStop: true }), chance, (script, stream) => {
      const lived = live(script, stream);
      expectSound(lived);
      const { states, stops } = expectedEnd(script);
      expect(lived.run.head.state).toBe(stops ? 'failed' : 'succeeded');
      if (!stops) expect(statesOf(lived.run)).toEqual(Object.fromEntries(states));
      if (stops) expect(lived.run.head.stoppedBy).toBeString();
    }),
    { numRuns: 3_000 },
  );
});

test('a run that is cancelled at any time ends, and nothing starts after it', () => {
  let cancelled = 0;
  fc.assert(
    fc.property(anyScript({ mayStop: true }), chance, fc.nat({ max: 30 }), (script, stream, cancelTurn) => {
      const lived = live(script, stream, cancelTurn);
      expectSound(lived);
      cancelled += Number(lived.run.head.state === 'cancelled');
    }),
    { numRuns: 2_000 },
  );
  expect(cancelled).toBeGreaterThan(300);
});

test('two worlds with the same outcomes and other chances end the same', () => {
  fc.assert(
    fc.property(anyScript({ mayStop: true }), chance, chance, (script, first, second) => {
      const [one, other] = [live(script, first), live(script, second)];
      expect(other.run.head.state).toBe(one.run.head.state);
      if (one.run.head.state === 'succeeded') expect(statesOf(other.run)).toEqual(statesOf(one.run));
    }),
    { numRuns: 1_000 },
  );
});

test('a step starts only when its parents are done, one of them ran, and the tries before are over', () => {
  fc.assert(
    fc.property(anyScript({ mayStop: true }), chance, (script, stream) => {
      const { starts, run } = live(script, stream);
      const graph = graphOf(script.pipeline);
      const startedAt = new Map(starts.map(({ step, attempt }, at) => [`${step} ${attempt}`, at]));
      for (const { step, attempt } of starts) {
        if (attempt > 1)
          expect(startedAt.get(`${step} ${attempt - 1}`)).toBeLessThan(
            startedAt.get(`${step} ${attempt}`) ?? 0,
          );
        const parents = script.pipeline.edges.filter(({ to }) => to === step).map(({ from }) => from);
        for (const parent of parents.filter((id) => graph.nodes.get(id)?.kind === 'step')) {
          const record = run.nodes.get(parent);
          const last = startedAt.get(`${parent} ${record?.attempt}`) ?? -1;
          expect(last).toBeLessThan(startedAt.get(`${step} ${attempt}`) ?? 0);
        }
      }
    }),
    { numRuns: 1_000 },
  );
});

test('run again with better luck, a run succeeds and starts only what had not succeeded or came after that', () => {
  let carriedOver = 0;
  fc.assert(
    fc.property(anyScript({ mayStop: true }), chance, chance, (script, first, second) => {
      const old = live(script, first);
      const graph = graphOf(script.pipeline);
      const fate = { outcomes: () => ['succeeded' as const], dice: diceOf(second) };
      const lived = new World(graph, fate, runAgain(graph, old.run)).live();
      expectSound(lived);
      expect(lived.run.head.state).toBe('succeeded');
      const lucky = { ...script, outcomes: new Map() };
      expect(statesOf(lived.run)).toEqual(Object.fromEntries(expectedEnd(lucky).states));
      const startedAgain = new Set(lived.starts.map(({ step }) => step));
      const before = statesOf(old.run);
      const isAfterFailed = (id: string): boolean =>
        before[id] === 'failed' ||
        before[id] === 'cancelled' ||
        script.pipeline.edges.some(({ from, to }) => to === id && isAfterFailed(from));
      const luckyStates = expectedEnd(lucky).states;
      const expected = script.pipeline.nodes.filter(
        ({ id, kind }) =>
          kind === 'step' &&
          luckyStates.get(id) === 'succeeded' &&
          (before[id] !== 'succeeded' || isAfterFailed(id)),
      );
      expect(startedAgain).toEqual(new Set(expected.map(({ id }) => id)));
      carriedOver += [...old.run.nodes.values()].filter(({ id, attempt, state }) => {
        return attempt > 0 && state === 'succeeded' && !startedAgain.has(id);
      }).length;
    }),
    { numRuns: 1_000 },
  );
  expect(carriedOver).toBeGreaterThan(100);
});
