import { shownProcess } from '@svc/hub/agents/shown-process';
import { NatsBus } from '@svc/hub/platform/bus/nats-bus';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { MovableClock } from '../movable-clock.ts';
import { type NatsServer, natsMissing, startNats } from '../nats.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../postgres.ts';
import { until } from '../until.ts';

/**
 * Hubs that share a database and a bus, and know of each other.
 *
 * NOTE: Their clocks stand still: a test that moves no clock runs no heartbeat.
 */
export async function cluster(
  count: number,
  servers: { readonly postgres: PostgresServer; readonly nats: NatsServer },
  more: Readonly<Record<string, string>> = {},
  clockOf = () => new MovableClock(),
): Promise<HubWorld[]> {
  const env = {
    DATABASE_URL: await servers.postgres.createDatabase(),
    SVC_MASTER_KEY: '7'.repeat(64),
    SVC_RATE_LIMITS: 'off',
    NATS_URL: `nats://${servers.nats.address}`,
    ...more,
  };
  const worlds: HubWorld[] = [];
  for (let index = 0; index < count; index += 1)
    worlds.push(await hubWorld({ env, clock: clockOf(), index }));
  await knowEachOther(worlds);
  return worlds;
}

/** Why there can be no cluster on this machine; undefined: there can. */
export const clusterMissing = postgresMissing ?? natsMissing;

/** Two hubs of a cluster with a database and a broker of their own. */
export interface TwoHubs extends AsyncDisposable {
  readonly postgres: PostgresServer;
  readonly nats: NatsServer;
  readonly worlds: readonly HubWorld[];
  readonly one: HubWorld;
  readonly other: HubWorld;
}

export async function twoHubs(more: Readonly<Record<string, string>> = {}): Promise<TwoHubs> {
  await using stack = new AsyncDisposableStack();
  const [postgres, nats] = await Promise.all([startPostgres({ syncs: false }), startNats()]);
  stack.use(postgres);
  stack.use(nats);
  const worlds = await cluster(2, { postgres, nats }, more);
  for (const world of worlds) stack.use(world);
  const [one, other] = worlds as [HubWorld, HubWorld];
  const resources = stack.move();
  return { postgres, nats, worlds, one, other, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

export async function knowEachOther(worlds: readonly HubWorld[]): Promise<void> {
  for (const world of worlds)
    await until(async () => (await figure(world, 'svc_bus_other_hubs')) === worlds.length - 1);
}

export async function figure({ hub }: HubWorld, name: string): Promise<number | undefined> {
  const text = await (await fetch(`${hub.hubUrl}/metrics`)).text();
  const [, value] = new RegExp(`^${name} (\\d+)$`, 'm').exec(text) ?? [];
  return value === undefined ? undefined : Number(value);
}

export async function ready({ hub }: HubWorld): Promise<[number, unknown]> {
  const response = await fetch(`${hub.hubUrl}/ready`);
  return [response.status, await response.json()];
}

/** This agent, and none of an earlier test, is connected by then, according to the record. */
export async function untilOnline(world: HubWorld, instance: string): Promise<void> {
  await until(async () => {
    const { items } = (await (await world.manage('/agents')).json()) as {
      items: { id: string; status: string }[];
    };
    const online = items.filter(({ status }) => status === 'online');
    return online.length === 1 && online[0]?.id === shownProcess(instance);
  });
}

/** Somebody who is on the bus and is no hub. */
export async function strangerOn({ address }: NatsServer) {
  const settings = {
    servers: [address],
    user: undefined,
    password: undefined,
    credsFile: undefined,
    tls: undefined,
  };
  const bus = new NatsBus(settings, { state: () => {}, bug: () => {} });
  const reached = new Promise<void>((resolve) => bus.onState(() => resolve()));
  bus.join('stranger');
  await reached;
  return { bus, [Symbol.asyncDispose]: () => bus.close() };
}
