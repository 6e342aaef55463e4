import { expect, test } from 'bun:test';
import { firstToShow, nextToShow, shownNodes } from './run-graph.ts';

type Node = Parameters<typeof firstToShow>[0][number];

const AT = '2026-11-20T12:00:00.000Z';
const node = (name: string, more: Partial<Node>): Node => ({
  node: name,
  status: 'queued',
  attempt: 0,
  started_at: null,
  ended_at: null,
  attempts: [],
  ...more,
});
const attempts = [{}] as unknown as Node['attempts'];

test('the running node is shown first, else the failed one, else the last one to end; none before the start', () => {
  const early = node('early', { status: 'succeeded', attempts, ended_at: AT });
  const late = node('late', { status: 'succeeded', attempts, ended_at: '2026-11-20T12:00:01.000Z' });
  const failed = node('failed', { status: 'failed', attempts, ended_at: AT });
  const running = node('running', { status: 'running', attempts });
  expect(firstToShow([early, failed, running, late])).toBe('running');
  expect(firstToShow([late, early, failed])).toBe('failed');
  expect(firstToShow([late, early])).toBe('late');
  expect(firstToShow([node('waits', {})])).toBeUndefined();
});

test('a card says why there is no result, the answer of a condition, and the number of the attempt', () => {
  const notes = shownNodes([
    node('lost', { error: 'the agent was lost', attempt: 2 }),
    node('yes', { holds: true }),
    node('no', { holds: false }),
    node('kept', { carried: true }),
    node('again', { retry_at: AT, attempt: 2 }),
    node('three', { exit_code: 3, attempt: 1 }),
    node('second', { attempt: 2, exit_code: 0 }),
    node('first', { attempt: 1 }),
  ]);
  expect([...notes.values()].map(({ note }) => note)).toEqual([
    'the agent was lost',
    'true',
    'false',
    'reused',
    'waiting for attempt 2',
    'exit 3',
    'attempt 2',
    undefined,
  ]);
});

test('the page follows what runs, and then what changed; nothing moves without a change', () => {
  const step = (name: string, status: Node['status']) => node(name, { status, attempts });
  const after = (nodes: Node[], before: Node[], shown: string) =>
    nextToShow(nodes, { nodes: before, node: shown });
  const [failed, retained, released] = [
    step('shaky', 'failed'),
    step('release', 'waiting_approval'),
    step('release', 'succeeded'),
  ];
  expect(after([failed, released], [failed, retained], 'release')).toBe('release');
  expect(after([failed, released], [failed, released], 'release')).toBe('release');
  expect(after([failed, released], [failed, released], 'shaky')).toBe('shaky');
  const running = step('last', 'running');
  expect(after([failed, released, running], [failed, released], 'release')).toBe('last');
  expect(after([failed, retained, running], [failed, retained], 'release')).toBe('release');
  // Both ended between two reads.
  expect(
    after([step('good', 'succeeded'), failed], [step('good', 'running'), step('shaky', 'queued')], 'good'),
  ).toBe('shaky');
});
