import { describe, expect, test } from 'bun:test';
import { timelineOf } from './timeline.ts';

type Run = Parameters<typeof timelineOf>[0];
type Node = Run['nodes'][number];

const BEGIN_MS = Date.UTC(2026, 10, 20, 12);
const at = (sec: number) => new Date(BEGIN_MS + sec * 1_000).toISOString();
const attempt = (number: number, [from, started, to]: readonly (number | null)[], status = 'succeeded') =>
  ({
    attempt: number,
    execution_id: `e${number}`,
    status,
    created_at: at(from ?? 0),
    started_at: started === null || started === undefined ? null : at(started),
    ended_at: to === null || to === undefined ? null : at(to),
  }) as Node['attempts'][number];
const node = (name: string, more: Partial<Node> = {}): Node => ({
  node: name,
  status: 'queued',
  attempt: 0,
  started_at: null,
  ended_at: null,
  attempts: [],
  ...more,
});

describe('the timeline of a run', () => {
  test('has a bar for each attempt: its wait, and then its command', () => {
    const attempts = [attempt(1, [0, 1, 4], 'failed'), attempt(2, [6, 6, 10])];
    const nodes = [node('build', { status: 'succeeded', started_at: at(0), ended_at: at(10), attempts })];
    const { rows, spanMs } = timelineOf({ created_at: at(0), ended_at: at(10), nodes }, 0);
    expect(spanMs).toBe(10_000);
    expect(rows[0]).toMatchObject({ node: 'build', state: 'succeeded', ms: 10_000, note: '2 attempts' });
    expect(rows[0]?.bars.map(({ state, from, started, to }) => [state, from, started, to])).toEqual([
      ['failed', 0, 0.1, 0.4],
      ['succeeded', 0.6, 0.6, 1],
    ]);
  });

  test('grows until now while a step runs or waits for approval', () => {
    const nodes = [
      node('running', {
        status: 'running',
        started_at: at(2),
        attempts: [attempt(1, [0, 2, null], 'running')],
      }),
      node('guarded', {
        status: 'waiting_approval',
        attempts: [attempt(1, [4, null, null], 'pending_approval')],
      }),
    ];
    const { rows } = timelineOf({ created_at: at(0), ended_at: null, nodes }, BEGIN_MS + 8_000);
    expect(rows.map(({ ms }) => ms)).toEqual([6_000, 4_000]);
    expect(rows.flatMap(({ bars }) => bars.map(({ from, started, to }) => [from, started, to]))).toEqual([
      [0, 0.25, 1],
      [0.5, 1, 1],
    ]);
    expect(rows[1]?.state).toBe('pending_approval');
  });

  test('says in a word why a row has no bar', () => {
    const nodes = [
      node('kept', { status: 'succeeded', carried: true, started_at: at(0), ended_at: at(0) }),
      node('is', { status: 'succeeded', holds: true }),
      node('never', { status: 'skipped' }),
      node('later'),
      node('again', { status: 'queued', retry_at: at(5), attempt: 2, attempts: [attempt(1, [0, 0, 1])] }),
    ];
    const { rows } = timelineOf({ created_at: at(0), ended_at: at(10), nodes }, 0);
    expect(rows.map(({ note }) => note)).toEqual([
      'reused from the previous run',
      'true',
      'skipped',
      undefined,
      'attempt 2 follows',
    ]);
    expect(rows[0]?.ms).toBeUndefined();
  });

  test.each([
    [0, ['0']],
    [0.84, ['0', '500 ms']],
    [3, ['0', '1 s', '2 s']],
    [5.5, ['0', '2 s', '4 s']],
    [100, ['0', '30 s', '60 s', '90 s']],
    [3_600, ['0', '15 min', '30 min', '45 min']],
    [200_000, ['0', '1 d', '2 d']],
  ])('of %p seconds has the ticks %p', (sec, labels) => {
    const { ticks } = timelineOf({ created_at: at(0), ended_at: at(sec), nodes: [] }, 0);
    expect(ticks.map(({ label }) => label)).toEqual([...labels]);
    expect(ticks.every(({ at: place }) => place >= 0 && place <= 0.92)).toBe(true);
  });
});
