// A hub that dies without a word, with real processes on both sides: decision 24, states and takeover.
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configText } from '../config-text.ts';
import { untilExists } from '../files.ts';
import { HubProgram } from '../hub-program.ts';
import { Lines } from '../lines.ts';
import { startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

setDefaultTimeout(60_000);

/** Prints a line when it runs, waits for its file, and prints another. */
const JOB = 'echo run >> ran; echo begun; while [ ! -e go ]; do sleep 0.05; done; echo done';

let folder: TemporaryFolder;
let hub: HubProgram;
let agent: ReturnType<typeof startSvc>;

beforeEach(async () => {
  folder = await temporaryFolder();
  await Bun.write(join(folder.path, 'svc.yaml'), configText([{ name: 'job', command: JOB }]));
  hub = await HubProgram.make(folder.path);
  await hub.start();
  await startAgent();
});
afterEach(async () => {
  await hub[Symbol.asyncDispose]();
  agent.kill('SIGKILL');
  await agent.exited;
  await folder[Symbol.asyncDispose]();
});

function startAgent(): Promise<string> {
  const env = { SVC_TOKEN: hub.agentToken, SVC_BASE_URL: hub.url };
  const args = ['agent', '--json', '--state-dir', join(folder.path, 'state')];
  agent = startSvc(args, { cwd: folder.path, env });
  return new Lines(agent.stdout).find(/"event":"connected"/);
}

test('while a command runs: it runs on, once, and its whole output and its end are on record', async () => {
  const accepted = await hub.ask('/v1/local/job', { headers: { prefer: 'respond-async' } });
  const { execution_id: id } = (await accepted.json()) as { execution_id: string };
  await untilExists(join(folder.path, 'ran'));
  await hub.kill();
  writeFileSync(join(folder.path, 'go'), '');
  await hub.start();
  const stream = await hub.ask(`/executions/${id}/stream`);
  expect(await stream.text()).toContain('"type":"done"');
  expect(await (await hub.ask(`/executions/${id}`)).json()).toMatchObject({
    status: 'succeeded',
    output: 'begun\ndone\n',
  });
  expect(readFileSync(join(folder.path, 'ran'), 'utf8')).toBe('run\n');
});

test('while a caller waits: the command runs on, once, and its end is on record', async () => {
  // It may have the head of its answer by then, or nothing yet.
  const called = hub
    .ask('/v1/local/job')
    .then((response) => response.text())
    .catch(String);
  await untilExists(join(folder.path, 'ran'));
  await Promise.all([hub.kill(), called]);
  await hub.start();
  const { items } = (await (await hub.ask('/executions')).json()) as { items: { execution_id: string }[] };
  writeFileSync(join(folder.path, 'go'), '');
  const stream = await hub.ask(`/executions/${items[0]?.execution_id}/stream`);
  expect(await stream.text()).toContain('"type":"done"');
  expect([items.length, readFileSync(join(folder.path, 'ran'), 'utf8')]).toEqual([1, 'run\n']);
});
