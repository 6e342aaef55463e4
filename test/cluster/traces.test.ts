// A trace continues with its call at the hub that has the agent (docs/operate/tracing.md).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { LIMITS } from '@svc/core/plan/limits';
import { postOf } from '../pipelines.ts';
import { Collector } from '../tracing/collector.ts';
import { clusterMissing, type TwoHubs, twoHubs, untilOnline } from './hubs.ts';

const ENDPOINTS = [
  { name: 'job', command: 'true' },
  { name: 'long', command: 'true {{a}} {{b}}', args: [{ name: 'a' }, { name: 'b' }] },
];

describe.skipIf(clusterMissing !== undefined)('a call to a hub without the agent', () => {
  let collector: Collector;
  let hubs: TwoHubs;
  beforeAll(async () => {
    collector = new Collector();
    hubs = await twoHubs({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '5' });
  }, 60_000);
  afterAll(async () => {
    await hubs[Symbol.asyncDispose]();
    await collector[Symbol.asyncDispose]();
  }, 60_000);

  /** Calls the hub that does not have the agent. Its spans by name, and at which hub each was. */
  async function traced(slug: string, values: Readonly<Record<string, string>>, names: readonly string[]) {
    const { one, other } = hubs;
    const instance = crypto.randomUUID();
    await using agent = await other.agent({ endpoints: ENDPOINTS, instance });
    await untilOnline(one, instance);
    const calling = one.call(slug, postOf(values));
    const id = await agent.answer('hello\n');
    expect((await calling).status).toBe(200);
    const named = (name: string) =>
      collector.span((span) => span.name === name && span.facts['svc.execution.id'] === id);
    const hubOf = ({ resource }: Awaited<ReturnType<typeof named>>) => resource['service.instance.id'];
    const server = await named('POST /v1/{username}/{slug}');
    const places: Record<string, string> = {};
    for (const name of names) {
      const span = await named(name);
      expect([span.traceId, span.parentSpanId]).toEqual([server.traceId, server.spanId]);
      places[name] = hubOf(span) === hubOf(server) ? 'here' : 'there';
    }
    return places;
  }

  test('has one trace at both', async () => {
    expect(await traced('job', {}, ['accept', 'execution'])).toEqual({ accept: 'there', execution: 'there' });
  });

  test('has one trace when it is too long to be forwarded, and is recorded first', async () => {
    const value = 'x'.repeat(LIMITS.valuesTotalBytes / 2 - 8);
    const values = { a: value, b: value };
    const places = { accept: 'here', begin: 'there', execution: 'there' };
    expect(await traced('long', values, Object.keys(places))).toEqual(places);
  });
});
