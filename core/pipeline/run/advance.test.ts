import { describe, expect, test } from 'bun:test';
import { checkPipeline } from '../definition/check-pipeline.ts';
import type { JsonObject } from '../reference/json-value.ts';
import type { RunAction } from './action.ts';
import { advance } from './advance.ts';
import type { RunEvent } from './event.ts';
import { type Graph, graphOf } from './graph.ts';
import { applyRunChange, newRun, type RetainedRun, retainedRun } from './new-run.ts';
import { pendingActions } from './pending-actions.ts';
import { runAgain } from './rerun.ts';

type Unplaced<Event> = Event extends unknown ? Omit<Event, 'atMs'> : never;

/** A run whose events the test sends one by one. */
class Harness {
  readonly graph: Graph;
  run: RetainedRun;

  constructor(nodes: readonly object[], input: JsonObject = {}) {
    const fields = ['ref', 'agent', 'body'].map((name) => ({
      name,
      type: name === 'body' ? 'object' : 'string',
    }));
    const checked = checkPipeline({ slug: 'x', trigger: { type: 'webhook', input_schema: fields }, nodes });
    if (checked.kind === 'issues') throw new Error(JSON.stringify(checked.issues));
    this.graph = graphOf(checked.pipeline);
    this.run = newRun(this.graph, input);
  }

  /** The actions in short, `start a 1`; undefined when the event changes nothing. */
  send(event: Unplaced<RunEvent>, atMs = 1_000): string[] | undefined {
    return this.actions(event, atMs)?.map((action) =>
      action.kind === 'end_run'
        ? `end ${action.state}`
        : `${action.kind.split('_')[0]} ${action.step} ${action.attempt}`,
    );
  }

  actions(event: Unplaced<RunEvent>, atMs = 1_000): readonly RunAction[] | undefined {
    const change = advance(this.graph, this.run, { ...event, atMs } as RunEvent);
    if (change !== undefined) applyRunChange(this.run, change);
    return change?.actions;
  }

  end(
    step: string,
    outcome: 'succeeded' | 'failed' | 'cancelled' | 'denied' | 'lost' = 'succeeded',
    attempt = 1,
  ) {
    return this.send({
      kind: 'step_ended',
      step,
      attempt,
      outcome,
      exitCode: outcome === 'succeeded' ? 0 : 3,
    });
  }

  get states(): string {
    return [...this.run.nodes.values()].map(({ id, state }) => `${id} ${state}`).join(', ');
  }
}

const step = (id: string, needs: readonly unknown[] = [], more: object = {}) => ({
  id,
  endpoint: 'e',
  needs,
  ...more,
});
const condition = (id: string, expression: string, needs: readonly string[] = []) => ({
  id,
  expression,
  needs,
});
const continued = { on_failure: 'continue' };

describe('steps and joins', () => {
  test('steps whose parents are done run in parallel, a join when all of its parents are done', () => {
    const harness = new Harness([step('a'), step('b', ['a']), step('c', ['a']), step('d', ['b', 'c'])]);
    expect(harness.send({ kind: 'started' })).toEqual(['start a 1']);
    expect(harness.end('a')).toEqual(['start b 1', 'start c 1']);
    expect(harness.end('c')).toEqual([]);
    expect(harness.end('b')).toEqual(['start d 1']);
    expect(harness.run.head.state).toBe('running');
    expect(harness.end('d')).toEqual(['end succeeded']);
    expect(harness.run.head.state).toBe('succeeded');
  });

  test('a condition continues the run on one branch; a join runs when one of its parents ran', () => {
    const nodes = [
      condition('c', '{input.ref} == "main"'),
      step('yes', ['c']),
      step('no', [{ node: 'c', when: false }]),
      step('after', ['yes', 'no']),
    ];
    const main = new Harness(nodes, { ref: 'main' });
    expect(main.send({ kind: 'started' })).toEqual(['start yes 1']);
    expect(main.states).toBe('c succeeded, yes queued, no skipped, after queued');
    expect(main.end('yes')).toEqual(['start after 1']);
    const other = new Harness(nodes, { ref: 'dev' });
    expect(other.send({ kind: 'started' })).toEqual(['start no 1']);
    expect(other.end('no')).toEqual(['start after 1']);
  });

  test('a skipped node skips the nodes that depend on it alone; a run that skips everything succeeds', () => {
    const harness = new Harness([
      condition('c', 'false'),
      step('a', ['c']),
      step('b', ['a']),
      condition('d', 'true', ['b']),
    ]);
    expect(harness.send({ kind: 'started' })).toEqual(['end succeeded']);
    expect(harness.states).toBe('c succeeded, a skipped, b skipped, d skipped');
  });
});

describe('failure', () => {
  test.each(['failed', 'denied', 'lost', 'cancelled'] as const)(
    'a step that ends %s stops the run: what runs is cancelled, the rest skipped, then the run ends',
    (outcome) => {
      const harness = new Harness([step('a'), step('b'), step('c', ['b']), step('d', ['a'])]);
      harness.send({ kind: 'started' });
      expect(harness.end('a', outcome)).toEqual(['cancel b 1']);
      expect(harness.run.head).toMatchObject({ state: 'running', stopping: 'failed', stoppedBy: 'a' });
      expect(harness.states).toBe(
        `a ${outcome === 'cancelled' ? outcome : 'failed'}, b queued, c skipped, d skipped`,
      );
      expect(harness.end('b', 'cancelled')).toEqual(['end failed']);
      expect(harness.states).toContain('b cancelled');
    },
  );

  test('a sibling that was quicker than its cancelling is on record as it ended, and leads nowhere', () => {
    const harness = new Harness([step('a'), step('b'), step('c', ['b'])]);
    harness.send({ kind: 'started' });
    harness.end('a', 'failed');
    expect(harness.end('b')).toEqual(['end failed']);
    expect(harness.states).toBe('a failed, b succeeded, c skipped');
  });

  test('continue starts nodes that depend on the failed step alone, and no join', () => {
    const nodes = [
      step('a', [], continued),
      step('b'),
      condition('code', '{steps.a.exit_code} == 3', ['a']),
      step('report', ['code']),
      step('join', ['a', 'b']),
    ];
    const harness = new Harness(nodes);
    harness.send({ kind: 'started' });
    expect(harness.end('a', 'failed')).toEqual(['start report 1']);
    expect(harness.end('b')).toEqual([]);
    expect(harness.end('report')).toEqual(['end succeeded']);
    expect(harness.states).toBe('a failed, b succeeded, code succeeded, report succeeded, join skipped');
  });

  test.each(['a\0', '\ud800', 'a b', '-x', 'x'.repeat(65)])(
    'an agent name that resolves to %j belongs to no agent: the step fails, and the name is not recorded',
    (agent) => {
      const harness = new Harness([step('a', [], { agent_name: '{input.agent}' })], { agent });
      expect(harness.send({ kind: 'started' })).toEqual(['end failed']);
      expect(harness.run.nodes.get('a')).toMatchObject({
        outcome: 'rejected',
        error: 'agent_name "{input.agent}" stands for what cannot be the name of an agent in this run',
      });
    },
  );

  test('an empty agent name fails the step instead of running it on another agent', () => {
    const harness = new Harness([step('a', [], { agent_name: '{input.agent}' }), step('b', ['a'])], {});
    expect(harness.send({ kind: 'started' })).toEqual(['end failed']);
    expect(harness.run.nodes.get('a')).toMatchObject({
      state: 'failed',
      outcome: 'rejected',
      error: 'agent_name "{input.agent}" stands for nothing in this run',
    });
  });
});

test.each<[string, JsonObject, string]>([
  ['too long', { ref: 'x'.repeat(40_000) }, 'argument "a": the value is longer than 65536 bytes'],
  ['with a NUL', { ref: 'a\0b' }, 'argument "a": a NUL character cannot be passed to a command'],
  ['with half a character', { ref: '\ud800' }, 'argument "a": half of a surrogate pair is no character'],
  [
    'with a NUL in a variable',
    { agent: '\0' },
    'variable "V": a NUL character cannot be passed to a command',
  ],
])('a value %s fails the step before it is called, and is not tried again', (_, input, error) => {
  const more = { args: { a: '{input.ref}{input.ref}' }, env: { V: '{input.agent}' }, retry: { limit: 3 } };
  const harness = new Harness([step('a', [], more)], input);
  expect(harness.send({ kind: 'started' })).toEqual(['end failed']);
  expect(harness.run.nodes.get('a')).toMatchObject({ state: 'failed', outcome: 'rejected', error });
});

describe('retries', () => {
  const retried = () => new Harness([step('a', [], { retry: { limit: 2, backoff: 5 } }), step('b')]);

  test('come after a wait that doubles, up to their limit', () => {
    const harness = retried();
    harness.send({ kind: 'started' });
    expect(harness.actions({ kind: 'step_ended', step: 'a', attempt: 1, outcome: 'failed' }, 1_000)).toEqual([
      { kind: 'schedule_retry', step: 'a', attempt: 2, atMs: 6_000 },
    ]);
    expect(harness.states).toStartWith('a queued');
    expect(harness.send({ kind: 'retry_due', step: 'a', attempt: 2 }, 5_999)).toBeUndefined();
    expect(harness.send({ kind: 'retry_due', step: 'a', attempt: 2 }, 6_000)).toEqual(['start a 2']);
    expect(harness.send({ kind: 'retry_due', step: 'a', attempt: 2 }, 6_000)).toBeUndefined();
    expect(harness.end('a', 'failed', 1)).toBeUndefined();
    expect(
      harness.actions({ kind: 'step_ended', step: 'a', attempt: 2, outcome: 'timed_out' }, 7_000),
    ).toEqual([{ kind: 'schedule_retry', step: 'a', attempt: 3, atMs: 17_000 }]);
    harness.send({ kind: 'retry_due', step: 'a', attempt: 3 }, 17_000);
    expect(harness.end('a', 'failed', 3)).toEqual(['cancel b 1']);
  });

  test.each(['denied', 'lost', 'cancelled'] as const)('are not for a step that ends %s', (outcome) => {
    const harness = retried();
    harness.send({ kind: 'started' });
    expect(harness.end('a', outcome)).toEqual(['cancel b 1']);
  });

  test('are dropped when the run stops meanwhile', () => {
    const harness = retried();
    harness.send({ kind: 'started' });
    harness.end('a', 'failed');
    expect(harness.end('b', 'failed')).toEqual(['end failed']);
    expect(harness.states).toBe('a cancelled, b failed');
    expect(harness.send({ kind: 'retry_due', step: 'a', attempt: 2 }, 99_000)).toBeUndefined();
  });
});

describe('approvals', () => {
  test('the run waits while all its unfinished nodes wait for approvals, and resumes', () => {
    const harness = new Harness([step('a'), step('b'), step('c', ['a'])]);
    harness.send({ kind: 'started' });
    harness.send({ kind: 'step_waiting', step: 'a', attempt: 1 });
    expect(harness.run.head.state).toBe('running');
    harness.end('b');
    expect(harness.run.head.state).toBe('waiting_approval');
    harness.send({ kind: 'step_started', step: 'a', attempt: 1 });
    expect(harness.run.head.state).toBe('running');
    expect(harness.send({ kind: 'step_waiting', step: 'a', attempt: 1 })).toBeUndefined();
    expect(harness.end('a')).toEqual(['start c 1']);
  });
});

describe('cancelling', () => {
  test('before the start ends the run at once', () => {
    const harness = new Harness([step('a')]);
    expect(harness.send({ kind: 'cancel_asked' })).toEqual(['end cancelled']);
    expect(harness.states).toBe('a skipped');
    expect(harness.send({ kind: 'started' })).toBeUndefined();
  });

  test('a try that fails while the run stops is not tried again', () => {
    const harness = new Harness([step('a', [], { retry: { limit: 3 } })]);
    harness.send({ kind: 'started' });
    harness.send({ kind: 'cancel_asked' });
    expect(harness.end('a', 'failed')).toEqual(['end cancelled']);
    expect(harness.states).toBe('a failed');
  });

  test('asks what runs to end, once', () => {
    const harness = new Harness([step('a'), step('b', ['a'])]);
    harness.send({ kind: 'started' });
    harness.send({ kind: 'step_waiting', step: 'a', attempt: 1 });
    expect(harness.send({ kind: 'cancel_asked' })).toEqual(['cancel a 1']);
    expect(harness.send({ kind: 'cancel_asked' })).toBeUndefined();
    expect(harness.end('a', 'failed')).toEqual(['end cancelled']);
    expect(harness.run.head.state).toBe('cancelled');
  });
});

test('the revision grows by one with every change', () => {
  const harness = new Harness([step('a')]);
  harness.send({ kind: 'started' });
  harness.send({ kind: 'started' });
  harness.send({ kind: 'step_started', step: 'a', attempt: 1 });
  harness.end('a');
  expect(harness.run.head.revision).toBe(3);
});

test('an event that is repeated, late or without an unfinished node changes nothing', () => {
  const harness = new Harness([step('a'), condition('c', 'true', ['a']), step('b', ['c'])]);
  expect(harness.end('a')).toBeUndefined();
  harness.send({ kind: 'started' });
  expect(harness.send({ kind: 'started' })).toBeUndefined();
  expect(harness.end('b')).toBeUndefined();
  expect(harness.end('c')).toBeUndefined();
  expect(harness.end('nobody')).toBeUndefined();
  expect(harness.end('a', 'succeeded', 2)).toBeUndefined();
  harness.end('a');
  expect(harness.end('a', 'failed')).toBeUndefined();
  harness.end('b');
  expect(harness.send({ kind: 'cancel_asked' })).toBeUndefined();
});

describe('values', () => {
  const nodes = [
    step('a', [], {
      args: { ref: '{input.ref}', all: '{input.body}', gone: '{input.body.none}', text: '<{input.ref}>' },
      env: { REF: '{input.ref}', GONE: '{input.agent}' },
      agent_name: 'linux-{input.body.deep.0}',
      timeout: 7,
    }),
    step('b', ['a'], {
      args: { out: '{steps.a.output}', n: '{steps.a.data.n}', code: '{steps.a.exit_code}' },
    }),
    step('c', ['b']),
  ];
  const input = { ref: '$(id) {steps.a.output}', body: { deep: [1] } };

  test('reach a step as texts, as they came; what is missing is left out', () => {
    const harness = new Harness(nodes, input);
    expect(harness.actions({ kind: 'started' })).toEqual([
      {
        kind: 'start_step',
        step: 'a',
        attempt: 1,
        endpoint: 'e',
        args: { ref: input.ref, all: '{"deep":[1]}', text: `<${input.ref}>` },
        env: { REF: input.ref },
        agentName: 'linux-1',
        timeoutSec: 7,
      },
    ]);
    const ended = { kind: 'step_ended', step: 'a', attempt: 1, outcome: 'succeeded', exitCode: 0 } as const;
    const [start] = harness.actions({ ...ended, output: 'two\nlines\n', data: { n: 1.5 } }) ?? [];
    expect(start).toMatchObject({ step: 'b', args: { out: 'two\nlines', n: '1.5', code: '0' } });
  });

  test('are kept with the run only if a node refers to them', () => {
    const harness = new Harness(nodes, input);
    harness.send({ kind: 'started' });
    const ended = {
      kind: 'step_ended',
      attempt: 1,
      outcome: 'succeeded',
      exitCode: 0,
      output: 'o',
      data: 1,
    } as const;
    harness.send({ ...ended, step: 'a' });
    harness.send({ ...ended, step: 'b' });
    expect(harness.run.nodes.get('a')?.result).toEqual({ exitCode: 0, output: 'o', data: 1 });
    expect(harness.run.nodes.get('b')?.result).toEqual({ exitCode: 0 });
  });
});

test('a run is run again from a step that had succeeded, too: what came before it is carried over', () => {
  const harness = new Harness([
    step('a'),
    step('b', ['a'], { args: { x: '{steps.a.output}' } }),
    step('c', ['b']),
  ]);
  harness.send({ kind: 'started' });
  expect(() => runAgain(harness.graph, harness.run)).toThrow('a run that is running cannot be run again');
  harness.send({
    kind: 'step_ended',
    step: 'a',
    attempt: 1,
    outcome: 'succeeded',
    exitCode: 0,
    output: 'kept',
  });
  harness.end('b');
  harness.end('c');
  harness.run = runAgain(harness.graph, harness.run, ['b']);
  expect(harness.run.head.state).toBe('queued');
  expect(harness.actions({ kind: 'started' })).toMatchObject([
    { step: 'b', attempt: 1, args: { x: 'kept' } },
  ]);
  expect(harness.end('b')).toEqual(['start c 1']);
});

test('after a restart, stored actions of a run that may not have happened are pending', () => {
  const nodes = [
    step('a', [], { args: { r: '{input.ref}' } }),
    step('b', [], { retry: { limit: 1 } }),
    step('c', [], continued),
    step('d'),
  ];
  const harness = new Harness(nodes, { ref: 'x' });
  const started = harness.actions({ kind: 'started' });
  const reread = () =>
    retainedRun(JSON.parse(JSON.stringify({ ...harness.run, nodes: [...harness.run.nodes.values()] })));
  expect(pendingActions(harness.graph, reread())).toEqual([...(started ?? [])]);
  harness.end('b', 'failed');
  harness.send({ kind: 'step_started', step: 'c', attempt: 1 });
  expect(pendingActions(harness.graph, reread()).map(({ kind }) => kind)).toEqual([
    'start_step',
    'schedule_retry',
    'start_step',
  ]);
  harness.end('d', 'failed');
  expect(pendingActions(harness.graph, reread()).map(({ kind }) => kind)).toEqual([
    'cancel_step',
    'cancel_step',
  ]);
  harness.end('a', 'cancelled');
  harness.end('c', 'cancelled');
  expect(pendingActions(harness.graph, reread())).toEqual([{ kind: 'end_run', state: 'failed' }]);
});
