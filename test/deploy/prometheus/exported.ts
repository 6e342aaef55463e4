import { randomBytes } from 'node:crypto';
import { hubWorld } from '../../hub-world.ts';
import { readExposition } from '../../metrics/exposition.ts';
import { startNats } from '../../nats.ts';
import { startPostgres } from '../../postgres.ts';

/** The names of samples, each with its labels and the values that these had. */
export type Exported = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/** The metrics of a hub that has a broker, has answered, and had a call: so that every label is there. */
export async function exportedByHub(): Promise<Exported> {
  await using postgres = await startPostgres({ syncs: false });
  await using nats = await startNats();
  const env = {
    DATABASE_URL: await postgres.createDatabase(),
    SVC_MASTER_KEY: randomBytes(32).toHex(),
    NATS_URL: `nats://${nats.address}`,
  };
  await using world = await hubWorld({ env });
  await using agent = await world.agent({ endpoints: [{ name: 'hello', command: 'hello' }] });
  const calling = world.call('hello');
  const { execution_id: id } = await agent.receive('run');
  agent.end(id, 0);
  await (await calling).text();
  return exportedIn(await (await fetch(`${world.hub.hubUrl}/metrics`)).text());
}

function exportedIn(text: string): Exported {
  const exported = new Map<string, Map<string, Set<string>>>();
  for (const { name, labels } of readExposition(text).flatMap(({ samples }) => samples)) {
    const known = exported.get(name) ?? new Map<string, Set<string>>();
    for (const [label, value] of labels) known.set(label, (known.get(label) ?? new Set()).add(value));
    exported.set(name, known);
  }
  return exported;
}
