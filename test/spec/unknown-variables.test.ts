// A variable that nothing reads is most likely misspelt: programs say so when they start (decision 64, borders of people
// and browsers).
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { configText } from '../config-text.ts';
import { Lines } from '../lines.ts';
import { runSvc, startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

setDefaultTimeout(60_000);

const MISSPELT = { SVC_RATE_LIMIT: 'off', SVC_ARG_NAME: 'x', SVC_EXECUTION_ID: 'x' };
const WARNING = 'svc reads no variable SVC_RATE_LIMIT: did you mean SVC_RATE_LIMITS?';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
  await Bun.write(join(folder.path, 'svc.yaml'), configText([{ name: 'hello', command: 'echo hi' }]));
});
afterAll(() => folder[Symbol.asyncDispose]());

const options = () => ({ cwd: folder.path, env: { ...MISSPELT, SVC_DATA_DIR: join(folder.path, 'data') } });

test.each([
  ['serve', /^\{/],
  ['up', /^\{/],
])('svc %s warns once, on standard error', async (subcommand, ready) => {
  const child = startSvc([subcommand, '--port', '0', '--json'], options());
  const stderr = new Response(child.stderr).text();
  await new Lines(child.stdout).find(ready);
  child.kill('SIGTERM');
  await child.exited;
  expect((await stderr).split('\n').filter((line) => line.includes('reads no variable'))).toEqual([
    `WARNING  ${WARNING}`,
  ]);
});

test('svc hub warns once, in its log', async () => {
  const child = startSvc(['hub', '--port', '0'], options());
  const lines = new Lines(child.stderr);
  await lines.find(/listens|http:/);
  child.kill('SIGTERM');
  await child.exited;
  const warnings = lines.text.split('\n').filter((line) => line.includes('reads no variable'));
  expect(warnings.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ msg: WARNING })]);
});

test.each([
  ['call', ['call', 'ada/hello', '--base-url', 'http://127.0.0.1:1', '--api-key', 'svc_sk_x']],
  ['agent', ['agent', '--base-url', 'http://127.0.0.1:1', '--token', 'junk']],
])('svc %s warns, also where it fails then', async (_, args) => {
  const { stderr } = await runSvc(args, options());
  expect(stderr).toContain(WARNING);
  expect(stderr).not.toContain('SVC_ARG_NAME');
});

test('svc call prints nothing when every variable is known', async () => {
  const { cwd } = options();
  const { stderr } = await runSvc(['call', 'ada/hello', '--api-key', 'svc_sk_x'], {
    cwd,
    env: { SVC_BASE_URL: 'http://127.0.0.1:1', SVC_ARG_NAME: 'x' },
  });
  expect(stderr).not.toContain('WARNING');
});
