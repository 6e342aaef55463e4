import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { shimCommand } from './shim-command.ts';

test('the shim passes `use strict`, and loads no module at its start', async () => {
  await using checked = Bun.spawn(['perl', '-c', join(import.meta.dir, 'shim.pl'), '0'], { stderr: 'pipe' });
  expect(await new Response(checked.stderr).text()).toEndWith('syntax OK\n');
  const [, , source = ''] = shimCommand();
  // The shim's text with a BEGIN block that prints the loaded modules.
  const argv = ['perl', '-e', `${source}\nBEGIN { print STDERR join(' ', keys %INC); exit 0 }`, '0'];
  await using sent = Bun.spawn(argv, { stderr: 'pipe' });
  expect(await new Response(sent.stderr).text()).toBe('');
});
