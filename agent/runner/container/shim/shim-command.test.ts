import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/temporary-folder.ts';
import { BEGIN, encodeJob, FrameReader } from './frames.ts';
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

test.skipIf(Bun.which('cc') === null)(
  'a command whose end arrives just before the shim waits is over',
  async () => {
    await using folder = await temporaryFolder();
    const library = join(folder.path, 'slow-select.so');
    const source = join(import.meta.dir, '..', 'fixtures', 'slow-select.c');
    expect(Bun.spawnSync(['cc', '-shared', '-fPIC', '-o', library, source, '-ldl']).exitCode).toBe(0);
    await using shim = Bun.spawn([...shimCommand()], {
      stdin: 'pipe',
      stdout: 'pipe',
      env: { LD_PRELOAD: library },
    });
    // Its output is closed before its end, so nothing but the end wakes the shim.
    const argv = ['/bin/sh', '-c', 'exec >&- 2>&-; sleep 0.12; exit 3'];
    void shim.stdin.write(encodeJob({ argv, env: {}, cwd: '/', apart: false }));
    void shim.stdin.write(BEGIN);
    await shim.stdin.flush();
    const frames = new FrameReader();
    const seen: unknown[] = [];
    for await (const chunk of shim.stdout) {
      seen.push(...frames.push(chunk));
      if (seen.length === 4) break;
    }
    expect(seen).toEqual([
      { kind: 'ready' },
      { kind: 'accepted' },
      { kind: 'exit', code: 3 },
      { kind: 'done' },
    ]);
  },
);
