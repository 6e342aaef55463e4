import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkCwd, resolveProgram } from './resolve-program.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-resolve-'));
afterAll(() => rmSync(root, { recursive: true }));

const [a, b, c] = ['a', 'b', 'c'].map((name) => join(root, name)) as [string, string, string];
for (const folder of [a, b, c]) mkdirSync(folder);
program(a, 'only-a');
program(b, 'in-both');
program(c, 'in-both');
program(a, 'plain-first', 0o644);
program(b, 'plain-first');
program(a, 'never', 0o644);
mkdirSync(join(a, 'folder'));

function program(folder: string, name: string, mode = 0o755): void {
  writeFileSync(join(folder, name), '#!/bin/sh\n');
  chmodSync(join(folder, name), mode);
}

const found = (name: string, PATH: string, cwd = root) => {
  const result = resolveProgram(name, { PATH }, cwd);
  return result.kind === 'program' ? result.path : result.reason;
};

describe('a name without a slash', () => {
  test('is searched in the given PATH, in order', () => {
    expect(found('in-both', `${a}:${b}:${c}`)).toBe(join(b, 'in-both'));
    expect(found('in-both', `${c}:${b}`)).toBe(join(c, 'in-both'));
  });

  test('is searched further after a file that may not be executed', () => {
    expect(found('plain-first', `${a}:${b}`)).toBe(join(b, 'plain-first'));
  });

  test.each([
    ['nowhere', 'not_found'],
    ['never', 'not_executable'],
    ['folder', 'not_executable'],
    ['', 'not_found'],
    ['nul\0', 'other'],
  ])('%j: %s', (name, reason) => {
    expect(found(name, `${a}:${b}:${join(root, 'missing')}:${join(a, 'only-a')}`)).toBe(reason);
  });

  test('is searched in the working directory for an empty or relative entry of PATH', () => {
    expect(found('only-a', '/nowhere:', a)).toBe(join(a, 'only-a'));
    expect(found('only-a', 'a:/nowhere', root)).toBe(join(a, 'only-a'));
    expect(found('only-a', '/nowhere', a)).toBe('not_found');
  });

  test('is searched in the system folders without a PATH', () => {
    expect(resolveProgram('sh', {}, root)).toMatchObject({ kind: 'program', path: '/bin/sh' });
  });

  test('is found as soon as it exists, and no longer after its removal', () => {
    expect(found('fresh', `${a}:${c}`)).toBe('not_found');
    program(c, 'fresh');
    expect(found('fresh', `${a}:${c}`)).toBe(join(c, 'fresh'));
    program(a, 'fresh');
    expect(found('fresh', `${a}:${c}`)).toBe(join(a, 'fresh'));
    rmSync(join(a, 'fresh'));
    expect(found('fresh', `${a}:${c}`)).toBe(join(c, 'fresh'));
  });
});

describe('a name with a slash', () => {
  test('is a path from the working directory, whatever PATH says', () => {
    expect(found('./only-a', b, a)).toBe(join(a, 'only-a'));
    expect(found('a/only-a', '')).toBe(join(a, 'only-a'));
    expect(found(join(a, 'only-a'), '')).toBe(join(a, 'only-a'));
  });

  test.each([
    ['./nowhere', 'not_found'],
    ['./a/only-a/below-a-file', 'not_found'],
    ['./a/never', 'not_executable'],
    ['./a', 'not_executable'],
  ])('%s: %s', (name, reason) => {
    expect(found(name, '')).toBe(reason);
  });
});

test('a working directory must be a folder that exists', () => {
  expect(checkCwd(root)).toBeUndefined();
  expect(checkCwd(join(root, 'missing'))).toMatchObject({
    reason: 'bad_cwd',
    message: expect.stringContaining('does not exist'),
  });
  expect(checkCwd(join(a, 'only-a'))).toMatchObject({
    reason: 'bad_cwd',
    message: expect.stringContaining('is not a folder'),
  });
});

test('a working directory must be accessible, which for root is any', () => {
  chmodSync(c, 0o600);
  const reason = process.getuid?.() === 0 ? undefined : 'bad_cwd';
  expect(checkCwd(c)?.reason).toBe(reason);
  chmodSync(c, 0o700);
});
