// A trace goes on with its call, to the hub that has the agent (docs/tracing.md).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { HubWorld } from '../hub-world.ts';
import { type NatsServer, natsMissing, startNats } from '../nats.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../postgres.ts';
import { Collector } from '../tracing/collector.ts';
import { cluster, until } from './hubs.ts';

describe.skipIf((postgresMissing ?? natsMissing) !== undefined)('a call to a hub without the agent', () => {
  let collector: Collector;
  let postgres: PostgresServer;
  let nats: NatsServer;
  let worlds: HubWorld[];
  beforeAll(async () => {
    collector = new Collector();
    [postgres, nats] = await Promise.all([startPostgres({ syncs: false }), startNats()]);
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '5' };
    worlds = await cluster(2, { postgres, nats }, traced);
  }, 60_000);
  afterAll(async () => {
    for (const world of worlds) await world[Symbol.asyncDispose]();
    await nats[Symbol.asyncDispose]();
    await postgres[Symbol.asyncDispose]();
    await collector[Symbol.asyncDispose]();
  }, 60_000);

  test('has one trace at both', async () => {
    const [one, other] = worlds as [HubWorld, HubWorld];
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
