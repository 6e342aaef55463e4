// Two hubs never use one SQLite folder (decision 64, borders of people and browsers).
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configText } from '../config-text.ts';
import { Lines } from '../lines.ts';
import { runSvc, startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

setDefaultTimeout(60_000);

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
  await Bun.write(join(folder.path, 'svc.yaml'), configText([{ name: 'hello', command: 'echo hi' }]));
});
afterAll(() => folder[Symbol.asyncDispose]());

const options = () => ({ cwd: folder.path, env: { SVC_DATA_DIR: join(folder.path, 'data') } });

async function up() {
  const child = startSvc(['up', '--port', '0', '--json'], options());
  const line = await new Lines(child.stdout).find(/^\{/);
  const { hub_url: hubUrl } = JSON.parse(line) as { hub_url: string };
  return { child, hubUrl };
}

test('the second hub refuses to start and names the first, which continues; after kill -9 the folder is free', async () => {
  const first = await up();
  const database = join(folder.path, 'data', 'svc.db');
  for (const subcommand of ['hub', 'up']) {
    const second = await runSvc([subcommand, '--port', '0'], options());
    expect([subcommand, second.exitCode]).toEqual([subcommand, 2]);
    const where = `${first.hubUrl} (process ${first.child.pid})`;
    expect(second.stderr).toContain(
      `another hub uses the data folder ${options().env.SVC_DATA_DIR}, at ${where}`,
    );
    expect(second.stderr).toContain('SVC_DATA_DIR');
  }
  expect((await fetch(`${first.hubUrl}/ready`)).status).toBe(200);
  // Operators work beside a hub that runs.
  const link = await runSvc(
    ['admin', 'sign-in-link', 'ada@example.com', '--hub-url', first.hubUrl],
    options(),
  );
  expect([link.exitCode, link.stdout]).toEqual([0, expect.stringContaining(`${first.hubUrl}/login/`)]);
  expect(readFileSync(database).subarray(0, 15).toString()).toBe('SQLite format 3');

  first.child.kill('SIGKILL');
  await first.child.exited;
  const third = await up();
  expect((await fetch(`${third.hubUrl}/ready`)).status).toBe(200);
  third.child.kill('SIGTERM');
  await third.child.exited;
  const fourth = await up();
  fourth.child.kill('SIGKILL');
  await fourth.child.exited;
});
