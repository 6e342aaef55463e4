import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openAdmin } from '@svc/hub/admin/admin';
import { readHubConfig } from '@svc/hub/config';
import { type Running, startHost, startHub } from '../peers/hub.ts';
import { type Seeded, seedAccounts } from '../peers/seed.ts';
import { isReady } from './waiting.ts';
import { CAPACITY, timed, type Way } from './way.ts';

const SLUG = 'nothing';

/** A hub and a host in processes of their own; each run is a call over HTTP, with its key checked, stored like any other. */
export async function throughHub(options: {
  readonly imageFolder: string;
  readonly folder: string;
  readonly maxWaiting: number;
}): Promise<Way & AsyncDisposable> {
  const { imageFolder, folder, maxWaiting } = options;
  await using resources = new AsyncDisposableStack();
  await mkdir(folder);
  const dataDir = join(folder, 'hub');
  const stateDir = join(folder, 'host');
  const [account] = await seedAccounts(dataDir, 1, 0);
  if (account === undefined) throw new Error('no account was made');
  const token = await runnerToken(dataDir);
  const hub = resources.use(await startHub({ dataDir }));
  const host = await startHost({
    token,
    stateDir,
    hubUrl: hub.url,
    options: ['--image', imageFolder, '--capacity', `${CAPACITY}`, '--waiting', `${maxWaiting}`],
  });
  // A killed container leaves mounts and control groups for its next start.
  resources.defer(() => host.signal('SIGTERM'));
  await makeEndpoint(hub, account);
  const dataFolder = dataFolderIn(stateDir);
  const ended = resources.move();
  return {
    name: `hub and host, ${maxWaiting > 0 ? 'warm' : 'cold'}`,
    once: () => timed(() => call(hub, account)),
    isReady: () => isReady(dataFolder, maxWaiting),
    [Symbol.asyncDispose]: () => ended.disposeAsync(),
  };
}

async function runnerToken(dataDir: string): Promise<string> {
  await using admin = await openAdmin(readHubConfig({ SVC_DATA_DIR: dataDir }));
  return (await admin.makeRunnerToken('bench')).token;
}

async function makeEndpoint({ url }: Running, { accessToken }: Seeded): Promise<void> {
  const response = await fetch(`${url}/endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ slug: SLUG, command: 'true', agent_name: 'hosted' }),
  });
  if (response.status !== 201)
    throw new Error(`POST /endpoints: ${response.status} ${await response.text()}`);
}

async function call({ url }: Running, { username, apiKey }: Seeded): Promise<void> {
  const response = await fetch(`${url}/v1/${username}/${SLUG}`, {
    headers: { 'x-api-key': apiKey, accept: 'application/json' },
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`a call: ${response.status} ${text}`);
}

/** The state folder of the only host that uses it; it names the host. */
function dataFolderIn(stateDir: string): string {
  const [found] = [...new Bun.Glob('*/*/lock').scanSync(stateDir)];
  if (found === undefined) throw new Error(`no host has ${stateDir}`);
  return join(stateDir, dirname(found), 'containers');
}
