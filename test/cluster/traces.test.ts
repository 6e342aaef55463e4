// A trace goes on with its call, to the hub that has the agent (docs/tracing.md).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Collector } from '../tracing/collector.ts';
import { clusterMissing, type TwoHubs, twoHubs, until } from './hubs.ts';

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

  test('has one trace at both', async () => {
    const { one, other } = hubs;
    await using agent = await other.agent({ endpoints: [{ name: 'job', command: 'true' }] });
    await until(async () => {
      const { items } = (await (await one.manage('/agents')).json()) as { items: { status: string }[] };
      return items.some(({ status }) => status === 'online');
    });
    const calling = one.call('job');
    const id = await agent.answer('hello\n');
    expect((await calling).status).toBe(200);
    const named = (name: string) =>
      collector.span((span) => span.name === name && span.facts['svc.execution.id'] === id);
    const server = await named('GET /v1/{username}/{slug}');
    const [accept, begin, execution] = [
      await named('accept'),
      await named('begin'),
      await named('execution'),
    ];
    for (const { traceId, parentSpanId } of [accept, begin, execution])
      expect([traceId, parentSpanId]).toEqual([server.traceId, server.spanId]);
    const hubOf = ({ resource }: typeof server) => resource['service.instance.id'];
    expect(hubOf(accept)).toBe(hubOf(server) ?? '');
    expect(hubOf(execution)).not.toBe(hubOf(server) ?? '');
    expect(hubOf(begin)).toBe(hubOf(execution) ?? '');
  });
});
