import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { writeFormula } from './homebrew.ts';

const TARGETS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'windows-x64'];

async function formulaFor(
  targets: readonly string[],
  baseUrl: string,
  check: (file: string, text: string) => void,
) {
  await using folder = await temporaryFolder();
  const archives = targets.map((target) => {
    const file = join(folder.path, `svc-1.2.3-${target}.tar.zst`);
    writeFileSync(file, `the program for ${target}`);
    return { target, file };
  });
  const release = { version: '1.2.3', commit: 'c', epochS: 1, folder: folder.path, level: 1 };
  const file = writeFormula(release, baseUrl, archives);
  check(file ?? '', file === undefined ? '' : await Bun.file(file).text());
}

test('the formula has address and digest of each machine in the block of its system and processor', async () => {
  await formulaFor(TARGETS, 'https://svc.example.com/1.2.3/', (_, text) => {
    const found = [...text.matchAll(/^ {2}(on_\w+) do\n([\s\S]*?)^ {2}end$/gm)].flatMap(
      ([, system, inside = '']) =>
        [...inside.matchAll(/^ {4}(on_\w+) do\n {6}url "(.*)"\n {6}sha256 "(.*)"\n {4}end$/gm)].map(
          ([, processor, url, digest]) => [system, processor, url, digest],
        ),
    );
    const expected = [
      ['on_macos', 'on_arm', 'darwin-arm64'],
      ['on_macos', 'on_intel', 'darwin-x64'],
      ['on_linux', 'on_arm', 'linux-arm64'],
      ['on_linux', 'on_intel', 'linux-x64'],
    ].map(([system, processor, target]) => [
      system,
      processor,
      `https://svc.example.com/1.2.3/svc-1.2.3-${target}.tar.zst`,
      createHash('sha256').update(`the program for ${target}`).digest('hex'),
    ]);
    expect(found as unknown[]).toEqual(expected);
  });
});

test('a release for other machines has no formula', async () => {
  await formulaFor(['windows-x64'], 'https://svc.example.com', (file) => expect(file).toBe(''));
});

test.skipIf(Bun.which('ruby') === null)(
  'Ruby reads the formula, also with signs in the address that it would evaluate',
  async () => {
    await formulaFor(TARGETS, 'https://svc.example.com/"#{exit 1}/\\', (file, text) => {
      const { exitCode, stdout, stderr } = Bun.spawnSync(['ruby', '-c', file]);
      expect([exitCode, `${stdout}${stderr}`]).toEqual([0, 'Syntax OK\n']);
      expect(text).not.toContain('/"#{');
    });
  },
);
