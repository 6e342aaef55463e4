// The parts that `svc serve` lacks, beside a connected agent on the same file: keys, records, checks by a hub, new files
// (decision 51, the standalone server).
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { configText } from '../config-text.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { Lines } from '../lines.ts';
import { startSvc } from '../program.ts';
import { serveWorld, type World } from '../world.ts';

const ENDPOINTS = [{ name: 'hello', command: 'echo hello' }];

let hub: HubWorld;
let served: World;
let agent: ReturnType<typeof startSvc>;
let agentOut: Lines;
beforeAll(async () => {
  hub = await hubWorld();
  served = await serveWorld(ENDPOINTS);
  // The agent has the same file, in the same folder, on the same machine.
  agent = startSvc(['agent', '--state-dir', join(hub.dataDir, 'agent-state')], {
    cwd: served.folder,
    env: { SVC_TOKEN: await hub.tokenFor(), SVC_BASE_URL: hub.hub.hubUrl },
  });
  agentOut = new Lines(agent.stdout);
  await agentOut.find(/connected as agent/);
});
afterAll(async () => {
  agent.kill('SIGKILL');
  await agent.exited;
  await served[Symbol.asyncDispose]();
  await hub[Symbol.asyncDispose]();
});

const JSON_ANSWER = { accept: 'application/json' };
const calledHere = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${served.url}${path}`, { headers: { ...JSON_ANSWER, ...headers } });
async function recorded(): Promise<number> {
  const { items } = (await (await hub.manage('/executions')).json()) as { items: unknown[] };
  return items.length;
}

test('it asks for no key, and a wrong one changes nothing; the hub asks', async () => {
  for (const headers of [{}, { 'x-api-key': 'svc_sk_wrong' }, { authorization: 'Bearer nothing' }]) {
    const answer = await calledHere('/hello', headers);
    expect([answer.status, await answer.json()]).toMatchObject([200, { output: 'hello\n', exit_code: 0 }]);
  }
  expect((await fetch(hub.urlOf('hello'), { headers: JSON_ANSWER })).status).toBe(401);
});

test('its calls are on no record: not at the hub, not in its folder, and it serves none', async () => {
  const [before, files] = [await recorded(), readdirSync(served.folder).sort()];
  const { execution_id: id } = (await (await calledHere('/hello')).json()) as { execution_id: string };
  expect(await recorded()).toBe(before);
  expect((await hub.manage(`/executions/${id}`)).status).toBe(404);
  expect((await calledHere(`/executions/${id}`)).status).toBe(404);
  expect(readdirSync(served.folder).sort()).toEqual(files);
  expect((await hub.call('hello')).status).toBe(200);
  expect(await recorded()).toBe(before + 1);
});

test('a changed file reaches the hub through the agent, and not the running server', async () => {
  const { count } = agentOut;
  await Bun.write(
    join(served.folder, 'svc.yaml'),
    configText([...ENDPOINTS, { name: 'second', command: 'echo second' }]),
  );
  await agentOut.find(/second/, count);
  expect((await hub.call('second')).status).toBe(200);
  expect((await calledHere('/second')).status).toBe(404);
  const { endpoints } = (await (await calledHere('/endpoints')).json()) as { endpoints: { name: string }[] };
  expect(endpoints.map(({ name }) => name)).toEqual(['hello']);
});

test('no hub checks it: the hub has one agent, and the server opens no connection', async () => {
  const { items } = (await (await hub.manage('/agents')).json()) as { items: unknown[] };
  expect(items).toHaveLength(1);
  // Each connection of the process is one that it accepted on its own port.
  const sockets = Bun.spawnSync(['ls', '-l', `/proc/${served.pid}/fd`]).stdout.toString();
  const inodes = new Set([...sockets.matchAll(/socket:\[(\d+)\]/g)].map(([, inode]) => inode));
  const tcp = (await Bun.file(`/proc/${served.pid}/net/tcp`).text()).split('\n').slice(1);
  const own = tcp.map((line) => line.trim().split(/\s+/)).filter((fields) => inodes.has(fields[9]));
  expect(own.length).toBeGreaterThan(0);
  const port = served.port.toString(16).toUpperCase().padStart(4, '0');
  expect(own.filter((fields) => !fields[1]?.endsWith(`:${port}`))).toEqual([]);
});
