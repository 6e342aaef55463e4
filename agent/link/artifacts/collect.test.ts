import { afterEach, beforeEach, expect, test } from 'bun:test';
import { link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Seeded } from '../../../test/cluster/chaos/seeded.ts';
import { collectFiles } from './collect.ts';
import { NotReadable, openBelow } from './open-folder.ts';

const SEED = Seeded.seed();
let base: string;
let root: string;
let outside: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'svc-collect-'));
  [root, outside] = [join(base, 'output'), join(base, 'outside')];
  await mkdir(join(root, 'folder/deep'), { recursive: true });
  await mkdir(join(outside, 'deep'), { recursive: true });
  await writeFile(join(outside, 'secret.txt'), 'secret');
  await writeFile(join(outside, 'deep/secret.txt'), 'secret');
});
afterEach(() => rm(base, { recursive: true, force: true }));

const write = (name: string, text = name) => writeFile(join(root, name), text);

test('finds the files that match a pattern, with their size', async () => {
  await write('a.txt');
  await write('b.log');
  await write('folder/deep/c.txt', 'four');
  const all = await collectFiles(root, ['**/*.txt']);
  expect(all.found).toEqual([
    { name: 'a.txt', size: 5 },
    { name: 'folder/deep/c.txt', size: 4 },
  ]);
  expect((await collectFiles(root, ['*'])).found.map(({ name }) => name)).toEqual(['a.txt', 'b.log']);
  expect((await collectFiles(root, ['b.*', 'folder/**'])).found.map(({ name }) => name)).toEqual([
    'b.log',
    'folder/deep/c.txt',
  ]);
});

test('follows no symbolic link, and says so of the files that match', async () => {
  await symlink(join(outside, 'secret.txt'), join(root, 'link.txt'));
  await symlink(outside, join(root, 'folder/elsewhere'));
  await symlink(join(root, 'folder'), join(root, 'inside'));
  const all = await collectFiles(root, ['**']);
  expect(all.found).toEqual([]);
  expect(all.missing).toEqual([
    { name: 'folder/elsewhere', reason: 'it is a symbolic link' },
    { name: 'inside', reason: 'it is a symbolic link' },
    { name: 'link.txt', reason: 'it is a symbolic link' },
  ]);
});

test('takes no pipe, and does not wait for one', async () => {
  Bun.spawnSync(['mkfifo', join(root, 'pipe')]);
  const { found, missing } = await collectFiles(root, ['*']);
  expect([found, missing]).toEqual([[], [{ name: 'pipe', reason: 'it is not a regular file' }]]);
});

test.skipIf(process.getuid?.() !== 0)(
  'takes no file of another user, such as a hard link to one',
  async () => {
    Bun.spawnSync(['chown', '65534', root]);
    await link(join(outside, 'secret.txt'), join(root, 'mine.txt'));
    const { missing } = await collectFiles(root, ['*']);
    expect(missing).toEqual([{ name: 'mine.txt', reason: 'it belongs to another user' }]);
  },
);

test.each(['../outside/secret.txt', 'folder/../../outside/secret.txt', '/etc/passwd', '', '.', 'folder/'])(
  'opens nothing outside by the name %p',
  async (name) => {
    expect(await openBelow(root, name).catch((error: Error) => error)).toBeInstanceOf(NotReadable);
  },
);

/** Starts a second process that swaps folder and files for links, and repeats the work until it is over, or for 45 s. */
async function whileSwapped(work: () => Promise<void>, isOver: () => boolean): Promise<void> {
  await write('file.txt', 'mine');
  await write('folder/secret.txt', 'mine');
  await write('folder/deep/secret.txt', 'mine');
  const script = join(import.meta.dir, 'fixtures/swap-forever.ts');
  const swapper = Bun.spawn([process.execPath, script, root, outside, String(SEED)], { stdout: 'pipe' });
  try {
    await swapper.stdout.getReader().read();
    const untilMs = performance.now() + 45_000;
    for (let round = 0; (round < 1_000 || !isOver()) && performance.now() < untilMs; round += 1) await work();
  } finally {
    swapper.kill('SIGKILL');
    await swapper.exited;
  }
}

test(`reads nothing outside while another process swaps folder and file for links (SVC_TEST_SEED=${SEED})`, async () => {
  let read = 0;
  let refused = 0;
  const work = async () => {
    for (const name of ['file.txt', 'folder/secret.txt', 'folder/deep/secret.txt']) {
      try {
        await using file = await openBelow(root, name);
        expect(await file.readFile('utf8')).toBe('mine');
        read += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(NotReadable);
        refused += 1;
      }
    }
  };
  // The test proves something only if both outcomes of the race occur.
  await whileSwapped(work, () => read > 0 && refused > 0);
  expect([read > 0, refused > 0]).toEqual([true, true]);
}, 60_000);

test(`lists nothing outside while another process swaps folder and file for links (SVC_TEST_SEED=${SEED})`, async () => {
  await writeFile(join(outside, 'only-outside.txt'), 'outside');
  await writeFile(join(outside, 'deep/only-outside.txt'), 'outside');
  const reasons = new Map<string, Set<string>>();
  let found = 0;
  const work = async () => {
    const all = await collectFiles(root, ['**']);
    // The secret has another size, and the folder outside has other names.
    expect(all.found.filter(({ size }) => size !== 4)).toEqual([]);
    expect([...all.found, ...all.missing].filter(({ name }) => name.includes('only-outside'))).toEqual([]);
    found += all.found.length;
    for (const { name, reason } of all.missing) {
      const known = reasons.get(name) ?? new Set();
      reasons.set(name, known.add(reason));
    }
  };
  const seen = (name: string, part: string) =>
    [...(reasons.get(name) ?? [])].some((reason) => reason.includes(part));
  // A folder became a link after it was listed as a folder, and a file became a link and a pipe.
  const isMet = () =>
    found > 0 &&
    (seen('folder', 'ENOTDIR') || seen('folder', 'ELOOP')) &&
    seen('file.txt', 'symbolic link') &&
    seen('file.txt', 'not a regular file');
  await whileSwapped(work, isMet);
  expect([isMet(), reasons]).toEqual([true, reasons]);
}, 60_000);
