// A hub that dies without a word, with real processes on both sides: decision 24.
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { untilExists } from '../files.ts';
import { hubWorld } from '../hub-world.ts';
import { Lines } from '../lines.ts';
import { startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { configText } from '../world.ts';

setDefaultTimeout(60_000);

/** Says that it runs, waits until it may go on, and says so. */
const JOB = 'echo run >> ran; echo begun; while [ ! -e go ]; do sleep 0.05; done; echo done';

let folder: TemporaryFolder;
let key: string;
let token: string;
let port: number;
let hub: ReturnType<typeof startSvc>;
let agent: ReturnType<typeof startSvc>;

beforeEach(async () => {
  folder = await temporaryFolder();
  await Bun.write(join(folder.path, 'svc.yaml'), configText([{ name: 'job', command: JOB }]));
  // An account, a key and an agent token, made by a hub that then stops in peace.
  await using seed = await hubWorld({ env: environment() });
  ({ apiKey: key, agentToken: token } = seed.start);
  port = seed.hub.port;
});
afterEach(async () => {
  for (const child of [hub, agent]) {
    child.kill('SIGKILL');
    await child.exited;
  }
  await folder[Symbol.asyncDispose]();
});

function environment() {
  return { SVC_DATA_DIR: join(folder.path, 'data') };
}

async function startHub(): Promise<void> {
  hub = startSvc(['hub', '--port', String(port)], { cwd: folder.path, env: environment() });
  await new Lines(hub.stderr).find(/the hub listens/);
}

function startAgent(): Promise<string> {
  const env = { SVC_TOKEN: token, SVC_BASE_URL: `http://127.0.0.1:${port}` };
  const args = ['agent', '--json', '--state-dir', join(folder.path, 'state')];
  agent = startSvc(args, { cwd: folder.path, env });
  return new Lines(agent.stdout).find(/"event":"connected"/);
}

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    ...init,
    headers: { 'x-api-key': key, ...(init.headers as object) },
  });

test('while a command runs: it runs on, once, and its whole output and its end are on record', async () => {
  await startHub();
  await startAgent();
  const accepted = await ask('/v1/local/job', { headers: { prefer: 'respond-async' } });
  const { execution_id: id } = (await accepted.json()) as { execution_id: string };
  await untilExists(join(folder.path, 'ran'));
  hub.kill('SIGKILL');
  await hub.exited;
  writeFileSync(join(folder.path, 'go'), '');
  await startHub();
  const stream = await ask(`/executions/${id}/stream`);
  expect(await stream.text()).toContain('"type":"done"');
  expect(await (await ask(`/executions/${id}`)).json()).toMatchObject({
    status: 'succeeded',
    output: 'begun\ndone\n',
  });
  expect(readFileSync(join(folder.path, 'ran'), 'utf8')).toBe('run\n');
});

test('while a caller waits: the command runs on, once, and its end is on record', async () => {
  await startHub();
  await startAgent();
  const called = ask('/v1/local/job').then((response) => response.text(), String);
  await untilExists(join(folder.path, 'ran'));
  hub.kill('SIGKILL');
  await Promise.all([hub.exited, called]);
  await startHub();
  const { items } = (await (await ask('/executions')).json()) as { items: { execution_id: string }[] };
  writeFileSync(join(folder.path, 'go'), '');
  const stream = await ask(`/executions/${items[0]?.execution_id}/stream`);
  expect(await stream.text()).toContain('"type":"done"');
  expect([items.length, readFileSync(join(folder.path, 'ran'), 'utf8')]).toEqual([1, 'run\n']);
});
