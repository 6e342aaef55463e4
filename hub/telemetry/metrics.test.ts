import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { readExposition } from '../../test/metrics/exposition.ts';
import { type Gauges, Metrics } from './metrics.ts';

const ALL: Gauges = {
  agents: () => 1,
  hosts: () => ({ connected: 2, capacity: 3, running: 4 }),
  hostedWaiting: () => 5,
  running: () => 6,
  isStoreDamaged: () => false,
  store: () => ({ units: 7, commits: 8 }),
  server: { pendingRequests: 9, pendingWebSockets: 10 },
  bus: { isConnected: () => true, ignored: () => 11, others: () => 12 },
  spans: { exported: 13, dropped: 14 },
};

async function everything() {
  const metrics = new Metrics();
  metrics.observe(ALL);
  metrics.answered(200);
  const { text, contentType } = await metrics.read();
  return { families: readExposition(text), contentType };
}

/** The rows of the tables of docs/operate/metrics.md: name and type. */
function documented(): [name: string, type: string][] {
  const text = readFileSync(new URL('../../docs/operate/metrics.md', import.meta.url), 'utf8');
  const rows = text.matchAll(/^\| `([a-z_]+)` \| (\w+) \| \S/gm);
  return [...rows].map(([, name = '', type = '']) => [name, type]);
}

test('the figures of /metrics and of docs/operate/metrics.md are the same, with the same types', async () => {
  const { families } = await everything();
  const said = families.map(({ name, type }): [string, string] => [name, type]);
  expect(said.toSorted()).toEqual(documented().toSorted());
});

test('it is in the text format, version 0.0.4', async () => {
  const { contentType } = await everything();
  expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
});

test('every label has a fixed number of values', async () => {
  const { families } = await everything();
  const labels = new Set(families.flatMap(({ samples }) => samples.flatMap((one) => [...one.labels.keys()])));
  expect([...labels].toSorted()).toEqual(['le', 'outcome', 'runner', 'state', 'status']);
});

test('a gauge is read at the time of the request', async () => {
  const metrics = new Metrics();
  let running = 1;
  metrics.observe({ ...ALL, running: () => running });
  await metrics.read();
  running = 2;
  const { text } = await metrics.read();
  expect(text).toContain('\nsvc_executions_running 2\n');
  expect(text).toContain('\nsvc_spans_dropped_total 14\n');
});
