import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from './config-source.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
  writeFileSync(join(folder, 'svc.yaml'), 'version: 1\nendpoints:\n  - name: x\n    command: echo hi\n');
  writeFileSync(join(folder, 'latin1.yaml'), Buffer.from('version: 1\nendpoints: []\n# \xe9\n', 'latin1'));
  writeFileSync(
    join(folder, 'taken.yaml'),
    'version: 1\nendpoints:\n  - {name: endpoints, command: echo hi}\n',
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a config comes with its absolute folder', () => {
  expect(readConfig(join(folder, 'svc.yaml'))).toMatchObject({
    kind: 'config',
    folder,
    config: { version: 1 },
  });
});

test('invalid UTF-8 is a problem with a place', () => {
  expect(readConfig(join(folder, 'latin1.yaml'))).toMatchObject({
    kind: 'problems',
    problems: [{ line: 3, column: 3 }],
  });
});

test('a name that the server reserves is a problem with a place', () => {
  expect(readConfig(join(folder, 'taken.yaml'))).toMatchObject({
    kind: 'problems',
    problems: [{ line: 3, column: 12, path: 'endpoints[0].name' }],
  });
});

test('a device without an end is read only up to the file limit', () => {
  expect(readConfig('/dev/zero')).toMatchObject({
    kind: 'problems',
    problems: [{ message: 'the file is larger than 1048576 bytes' }],
  });
});

test('an unreadable file gives the reason', () => {
  expect(readConfig(join(folder, 'no.yaml'))).toMatchObject({ kind: 'unreadable', reason: 'missing' });
  expect(readConfig(join(folder, 'svc.yaml/x'))).toMatchObject({ kind: 'unreadable', reason: 'missing' });
  expect(readConfig(folder)).toMatchObject({ kind: 'unreadable', reason: 'folder' });
  expect(readConfig('\0')).toMatchObject({ kind: 'unreadable', reason: 'other' });
});
