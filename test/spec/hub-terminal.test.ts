// svc hub at a terminal tells its address and the next step, and that step works as it is printed.
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { runSvc, svcOnTerminal } from '../program.ts';
import { temporaryFolder } from '../temporary-folder.ts';

test('svc hub shows its address and how to make the first account, later how to sign in', async () => {
  await using folder = await temporaryFolder();
  const env = { SVC_DATA_DIR: join(folder.path, 'data'), TERM: 'dumb' };
  const options = { cwd: folder.path, env };
  const first = await svcOnTerminal(['hub', '--port', '0'], options, 'Ctrl-C', 'stop');
  expect(first).toMatch(/^svc \d\S+ {2}hub at http:\/\/127\.0\.0\.1:\d+\r\n/);
  const [, next = ''] = /next +SVC_DATA_DIR=\S+ svc (.*) {2}\(in another terminal\)/.exec(first) ?? [];
  expect(await runSvc(next.split(' '), options)).toMatchObject({ exitCode: 0, stderr: '' });
  const second = await svcOnTerminal(['hub', '--port', '0'], options, 'Ctrl-C', 'stop');
  expect(second).toMatch(/sign in +http:\/\/127\.0\.0\.1:\d+\/dashboard\r\n/);
  expect(second).not.toContain('bootstrap');
});
