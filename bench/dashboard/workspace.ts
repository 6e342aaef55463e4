import { join } from 'node:path';
import { openAdmin } from '@svc/hub/admin/admin';
import { readHubConfig } from '@svc/hub/config';
import { postForm } from '../../test/forms.ts';
import { type Running, startAgent, startHub } from '../peers/hub.ts';
import { type Seeded, seedAccounts } from '../peers/seed.ts';
import { SVC_SOURCE } from '../peers/svc.ts';

const OWNER = 'bench-0@localhost';
const CONFIG = `
version: 1
endpoints:
${['build', 'test', 'deploy', 'backup', 'report', 'restart'].map((name) => `  - {name: ${name}, command: echo ${name} is done, description: The ${name} of every day}`).join('\n')}
  - {name: broken, command: sh -c "echo no such host; exit 3"}
  - {name: guarded, command: echo released, approval_required: true}
pipelines:
  - slug: release
    nodes:
      - {id: build, endpoint: build}
      - {id: test, endpoint: test, needs: [build]}
      - {id: deploy, endpoint: deploy, needs: [test]}
      - {id: report, endpoint: report, needs: [test]}
`;
/** Executions of each endpoint that runs. */
const CALLS = 20;
const RUN_LIMIT_MS = 30_000;

/** A hub with an agent, succeeded and failed executions, and a pending approval. */
export interface Workspace extends AsyncDisposable {
  readonly url: string;
  /** Of a browser in which the owner is signed in. */
  readonly cookie: string;
  /** The path of a run of a pipeline that has ended. */
  readonly runPath: string;
}

export async function startWorkspace(folder: string): Promise<Workspace> {
  const dataDir = join(folder, 'hub');
  const [account] = await seedAccounts(dataDir, 1, 1);
  const token = account?.agentTokens[0];
  if (account === undefined || token === undefined) throw new Error('no account was made');
  await using parts = new AsyncDisposableStack();
  // From the source, so that what is measured is the dashboard as it is now.
  const hub = parts.use(await startHub({ dataDir, program: SVC_SOURCE }));
  const config = join(folder, 'svc.yaml');
  await Bun.write(config, CONFIG);
  const stateDir = join(folder, 'agent');
  parts.use(await startAgent({ config, token, hubUrl: hub.url, stateDir }));
  await callAll(hub, account);
  const cookie = await signedIn(hub, dataDir);
  const runPath = await runPipeline(hub, cookie);
  const running = parts.move();
  return { url: hub.url, cookie, runPath, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function callAll({ url }: Running, { username, apiKey }: Seeded): Promise<void> {
  const headers = { 'X-API-Key': apiKey, Accept: 'application/json' };
  const call = async (name: string) =>
    (await fetch(`${url}/v1/${username}/${name}`, { method: 'POST', headers })).text();
  for (let n = 0; n < CALLS; n += 1) await Promise.all(['build', 'test', 'deploy'].map(call));
  for (const name of ['backup', 'report', 'restart', 'broken', 'broken', 'guarded']) await call(name);
}

async function runPipeline({ url }: Running, cookie: string): Promise<string> {
  const headers = { cookie, origin: url, 'content-type': 'application/json', 'x-requested-with': 'svc' };
  const body = JSON.stringify({ pipeline: 'release' });
  const answer = await fetch(`${url}/pipeline-runs`, { method: 'POST', headers, body });
  const { run_id: id } = (await answer.json()) as { readonly run_id?: string };
  if (id === undefined) throw new Error(`the run of the pipeline answered ${answer.status}`);
  const deadlineMs = performance.now() + RUN_LIMIT_MS;
  while (performance.now() < deadlineMs) {
    const shown = await fetch(`${url}/pipeline-runs/${id}`, { headers });
    const { status } = (await shown.json()) as { readonly status: string };
    if (status === 'succeeded') return `/dashboard/pipeline-runs/${id}`;
    await Bun.sleep(100);
  }
  throw new Error('the run of the pipeline did not succeed');
}

async function signedIn({ url }: Running, dataDir: string): Promise<string> {
  await using admin = await openAdmin(readHubConfig({ SVC_DATA_DIR: dataDir, SVC_HUB_URL: url }));
  const answer = await postForm(await admin.signInLink(OWNER));
  const [cookie] = answer.headers.getSetCookie();
  if (cookie === undefined) throw new Error(`the link answered ${answer.status} and brought no session`);
  return cookie.split(';')[0] ?? '';
}
