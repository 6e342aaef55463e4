// Agents and hubs that are killed while files go from one to the other, with real processes: decision 72, artifacts.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TcpProxy } from '@svc/agent/link/fixtures/tcp-proxy';
import { configText } from '../config-text.ts';
import { HubProgram } from '../hub-program.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { Lines } from '../lines.ts';
import { startSvc } from '../program.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';

setDefaultTimeout(120_000);

const MIB = 1024 * 1024;
const BYTES = 12 * MIB;
const BUILD = {
  name: 'build',
  command: `cd "$SVC_OUTPUT_DIR" && printf a > a && head -c ${BYTES} /dev/urandom > big && sha256sum < big`,
  artifacts: ['**'],
};
const image = { name: 'image', type: 'file' } as const;
const IDLE = {
  name: 'idle',
  command: 'printf a > "$SVC_OUTPUT_DIR/a"; echo begun; wc -c {{image}}; sleep 600',
  args: [image],
  artifacts: ['**'],
};
const LATER = { prefer: 'respond-async' };

interface Item {
  readonly name: string;
  readonly state: string;
  readonly reason?: string;
  readonly sha256?: string;
}

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

async function begun(asked: Promise<Response>): Promise<string> {
  return ((await (await asked).json()) as { execution_id: string }).execution_id;
}

async function listOf(ask: Ask, id: string): Promise<Item[]> {
  return ((await (await ask(`/executions/${id}/artifacts`)).json()) as { items: Item[] }).items;
}

/** Settles with its record when it has ended. */
async function ended(ask: Ask, id: string): Promise<{ status: string; output: string }> {
  await (await ask(`/executions/${id}/stream`)).text();
  return (await (await ask(`/executions/${id}`)).json()) as { status: string; output: string };
}

describe('an agent that is killed', () => {
  let world: HubWorld;
  let proxy: TcpProxy;
  let agent: RealAgent;
  beforeEach(async () => {
    world = await hubWorld();
    proxy = await TcpProxy.to(Number(new URL(world.hub.hubUrl).port));
    agent = await realAgent(world, [BUILD, IDLE], [], { SVC_BASE_URL: proxy.url.href });
  });
  afterEach(async () => {
    await agent[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  const manage: Ask = (path, init) => world.manage(path, init);
  const storedBytes = (id: string) => statSync(join(world.dataDir, 'artifacts', id, '2')).size;

  /** In the middle of its second file. */
  async function killedInUpload(): Promise<string> {
    const isHeld = proxy.holdAfter(4 * MIB);
    const id = await begun(world.call('build', { headers: LATER }));
    await isHeld;
    await agent.kill();
    return id;
  }

  test('in the middle of an upload sends the rest when it is back', async () => {
    const id = await killedInUpload();
    proxy.letGo();
    const there = storedBytes(id);
    expect(there).toBeGreaterThan(0);
    expect(there).toBeLessThan(BYTES);
    const before = proxy.passedBytes;
    await agent.restart();
    const { status, output } = await ended(manage, id);
    const items = await listOf(manage, id);
    expect([status, items.map(({ name, state }) => [name, state])]).toEqual([
      'succeeded',
      [
        ['a', 'stored'],
        ['big', 'stored'],
      ],
    ]);
    expect(items[1]?.sha256).toBe(output.slice(0, 64));
    expect(proxy.passedBytes - before).toBeLessThan(BYTES - there + 2 * MIB);
    // What it had of the execution is gone.
    await until(() =>
      readdirSync(agent.stateFolder, { recursive: true }).every((path) => !String(path).includes(id)),
    );
  });

  test('in the middle of an upload and does not come back leaves a list that says what is missing, and no bytes', async () => {
    const id = await killedInUpload();
    proxy.letGo();
    await world.untilNoAgent();
    world.clock.move(120_000);
    expect(await ended(manage, id)).toMatchObject({ status: 'lost' });
    const reason = 'its upload did not end before the execution';
    const expected = [
      { name: 'a', state: 'stored', size: 1 },
      { name: 'big', state: 'missing', size: 0, reason },
    ];
    expect(await listOf(manage, id)).toMatchObject(expected);
    expect(readdirSync(join(world.dataDir, 'artifacts', id)).toSorted()).toEqual(['1', '2']);
    world.clock.move(60 * 60_000);
    await world.clock.settled();
    expect(readdirSync(join(world.dataDir, 'artifacts', id))).toEqual(['1']);
    expect(await listOf(manage, id)).toMatchObject(expected);
  });

  test('while a command runs removes its folders at the next start, and the list says what was lost', async () => {
    const form = new FormData();
    form.append('image', new Blob(['abc']), 'photo.png');
    const id = await begun(world.call('idle', { method: 'POST', body: form, headers: LATER }));
    const folders = () =>
      readdirSync(agent.stateFolder, { recursive: true })
        .map(String)
        .filter((path) => path.includes(id) && /(?:image|output\/a)$/.test(path));
    await until(() => folders().length === 2);
    await agent.restart();
    expect(await ended(manage, id)).toMatchObject({ status: 'lost' });
    expect(folders()).toEqual([]);
    expect(await listOf(manage, id)).toMatchObject([
      {
        name: 'the output folder',
        state: 'missing',
        reason: 'the agent was stopped while the command ran',
      },
    ]);
  });
});

describe('a hub that is killed', () => {
  let folder: TemporaryFolder;
  let hub: HubProgram;
  let proxy: TcpProxy;
  let agent: ReturnType<typeof startSvc>;
  beforeEach(async () => {
    folder = await temporaryFolder();
    await Bun.write(join(folder.path, 'svc.yaml'), configText([BUILD]));
    hub = await HubProgram.make(folder.path);
    await hub.start();
    proxy = await TcpProxy.to(hub.port);
    agent = startSvc(['agent', '--json', '--state-dir', join(folder.path, 'state')], {
      cwd: folder.path,
      env: { SVC_TOKEN: hub.agentToken, SVC_BASE_URL: proxy.url.href },
    });
    await new Lines(agent.stdout).find(/"event":"connected"/);
  });
  afterEach(async () => {
    agent.kill('SIGKILL');
    await agent.exited;
    await proxy[Symbol.asyncDispose]();
    await hub[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  test('in the middle of an upload gets the rest when it is back, and its sweep leaves nothing orphaned', async () => {
    const isHeld = proxy.holdAfter(4 * MIB);
    const id = await begun(hub.ask('/v1/local/build', { method: 'POST', headers: LATER }));
    await isHeld;
    await hub.kill();
    const orphan = join(hub.dataDir, 'artifacts', Bun.randomUUIDv7());
    await Bun.write(join(orphan, '1'), 'of no execution');
    proxy.letGo();
    await hub.start();
    const ask: Ask = (path, init) => hub.ask(path, init);
    const { status, output } = await ended(ask, id);
    const items = await listOf(ask, id);
    expect([status, items.map(({ state }) => state)]).toEqual(['succeeded', ['stored', 'stored']]);
    const bytes = await (await ask(`/executions/${id}/artifacts/big`)).bytes();
    const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
    expect([sha256, items[1]?.sha256]).toEqual([output.slice(0, 64), output.slice(0, 64)]);
    const kept = () => readdirSync(join(hub.dataDir, 'artifacts'), { recursive: true }).map(String);
    await until(() => !kept().includes(orphan.slice(-36)));
    expect(
      kept()
        .filter((path) => !path.startsWith('spool'))
        .toSorted(),
    ).toEqual([id, `${id}/1`, `${id}/2`]);
  });
});
