import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { FileFolders } from './file-folders.ts';

const trouble = (cause: unknown) => {
  throw cause;
};

test('only the agent can enter the folder, and its removal removes the files', async () => {
  await using own = await temporaryFolder();
  const folder = new FileFolders(join(own.path, 'files')).create('one', undefined);
  const file = await folder.add('image.png');
  await file.write(Buffer.from('data'));
  await file.close();
  const modes = [join(own.path, 'files'), join(own.path, 'files/one'), file.path].map(
    (path) => statSync(path).mode & 0o777,
  );
  expect(modes).toEqual([0o700, 0o700, 0o600]);
  await folder.remove();
  expect(readdirSync(join(own.path, 'files'))).toEqual([]);
});

test('a link in the place of a file is not followed', async () => {
  await using own = await temporaryFolder();
  const victim = join(own.path, 'victim');
  writeFileSync(victim, 'kept');
  const folder = new FileFolders(join(own.path, 'files')).create('one', undefined);
  symlinkSync(victim, join(own.path, 'files/one/image'));
  expect(await folder.add('image').catch(String)).toContain('EEXIST');
  await folder.remove();
  expect(readFileSync(victim, 'utf8')).toBe('kept');
});

test('a folder that other users can change is not used', async () => {
  await using own = await temporaryFolder();
  mkdirSync(join(own.path, 'elsewhere'));
  symlinkSync(join(own.path, 'elsewhere'), join(own.path, 'files'));
  expect(() => new FileFolders(join(own.path, 'files')).create('one', undefined)).toThrow(
    'only this user can change',
  );
});

test('the next process removes what was left, and not what links lead to', async () => {
  await using own = await temporaryFolder();
  const folders = new FileFolders(join(own.path, 'files'));
  await (await folders.create('one', undefined).add('image')).close();
  mkdirSync(join(own.path, 'kept'));
  writeFileSync(join(own.path, 'kept/file'), '');
  symlinkSync(join(own.path, 'kept'), join(own.path, 'files/link'));
  await folders.sweep(trouble);
  expect([readdirSync(join(own.path, 'files')), readdirSync(join(own.path, 'kept'))]).toEqual([[], ['file']]);
});

test('files take no space beyond the limit, and a removed one frees its space', async () => {
  await using own = await temporaryFolder();
  const folders = new FileFolders(join(own.path, 'files'), 10);
  const first = folders.create('one', undefined);
  const file = await first.add('image');
  await file.write(Buffer.alloc(8));
  expect(await file.write(Buffer.alloc(8)).catch(String)).toContain('take 8 bytes');
  await file.close();
  await first.remove();
  const second = await folders.create('two', undefined).add('image');
  await second.write(Buffer.alloc(10));
  await second.close();
});
