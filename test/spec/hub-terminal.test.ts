// svc hub and svc up at a terminal: their address and the next step, which works as it is printed; and the starter file.
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
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

test('svc up offers the starter file in a folder without svc.yaml, and runs it after Enter', async () => {
  await using folder = await temporaryFolder();
  const options = {
    cwd: folder.path,
    env: { SVC_DATA_DIR: join(folder.path, 'data'), TERM: 'dumb' },
  };
  const refused = await svcOnTerminal(['up', '--port', '0'], options, 'svc init', {
    after: '[Y/n]',
    typed: 'n\n',
  });
  expect(refused).toContain('error  svc.yaml does not exist\r\ntry    svc init\r\n');
  expect(existsSync(join(folder.path, 'svc.yaml'))).toBe(false);
  const typing = { after: '[Y/n]', typed: '\n', thenStop: true } as const;
  const shown = await svcOnTerminal(['up', '--port', '0'], options, 'Ctrl-C', typing);
  expect(shown).toMatch(/wrote {2}svc\.yaml\r\nsvc \d\S+ +runs svc\.yaml at http:/);
  expect(await runSvc(['validate'], options)).toMatchObject({ exitCode: 0 });
});
