import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { Failure } from '../failure.ts';
import { ConfigFile } from './config-file.ts';

const fileIn = (folder: string) => new ConfigFile({ XDG_CONFIG_HOME: folder }, 'logins.json', 'logins');

test('a folder that cannot be made is a failure with the path, for a write and for the check before it', async () => {
  await using folder = await temporaryFolder();
  const blocked = join(folder.path, 'file');
  writeFileSync(blocked, '');
  const file = fileIn(blocked);
  for (const change of [() => file.write({}), () => file.requireWritable()]) {
    expect(change).toThrow(Failure);
    expect(change).toThrow(`cannot write the logins of this user: `);
    expect(change).toThrow(blocked);
  }
});

test('a write and a check leave nothing behind, also when they fail', async () => {
  await using folder = await temporaryFolder();
  const file = fileIn(folder.path);
  file.requireWritable();
  mkdirSync(file.path, { recursive: true });
  expect(() => file.write({})).toThrow(Failure);
  expect(readdirSync(join(folder.path, 'svc'))).toEqual(['logins.json']);
});

test('a partial file of a killed process with the same id blocks no write', async () => {
  await using folder = await temporaryFolder();
  const file = fileIn(folder.path);
  mkdirSync(join(folder.path, 'svc'));
  writeFileSync(`${file.path}.${process.pid}`, '{');
  file.write({ a: 1 });
  expect(file.read()).toEqual({ a: 1 });
});
