import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Argument } from '@svc/core/endpoint/definition';
import { Refusal } from '@svc/core/refusal';
import { placePaths } from './place-paths.ts';

let folder = '';
let outside = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-path-')));
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'svc-outside-')));
  mkdirSync(join(folder, 'files/sub'), { recursive: true });
  mkdirSync(join(outside, 'deep'));
  writeFileSync(join(folder, 'files/a b.txt'), '');
  writeFileSync(join(folder, 'other'), '');
  writeFileSync(join(outside, 'secret'), '');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  rmSync(outside, { recursive: true });
});

function placed(value: string | undefined, more: Partial<Argument> = {}): string {
  const argument: Argument = {
    name: 'file',
    required: true,
    type: 'path',
    inferred: false,
    secret: false,
    allowDash: false,
    root: 'files',
    ...more,
  };
  const given = new Map(value === undefined ? [] : [['file', value] as const]);
  const folders = { folder, cwd: join(folder, 'work') };
  return placePaths({ args: [argument] }, given, folders).get('file') ?? 'none';
}

function refusal(value: string, more: Partial<Argument> = {}): string {
  try {
    return `accepted: ${placed(value, more)}`;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    expect(error.code).toBe('invalid_argument');
    return error.message;
  }
}

const OUT = 'argument "file": the path leads out of "files": a path inside it is accepted';

describe('a path with a root', () => {
  test.each([
    ['a b.txt', 'files/a b.txt'],
    ['./sub//', 'files/sub'],
    ['sub/../a b.txt', 'files/a b.txt'],
    ['.', 'files'],
    ['not/yet/there.txt', 'files/not/yet/there.txt'],
  ])('is resolved: %s', (value, path) => {
    expect(placed(value)).toBe(join(folder, path));
    expect(placed(join(folder, 'files', value))).toBe(join(folder, path));
  });

  test('is resolved for a default and for a value', () => {
    expect(placed(undefined, { default: 'sub' })).toBe(join(folder, 'files/sub'));
    expect(() => placed(undefined, { default: '../other' })).toThrow('leads out');
  });

  test.each(['..', '../other', '/etc/passwd', 'sub/../../other', '../files-2/x', '/'])(
    'cannot be %s',
    (value) => {
      mkdirSync(join(folder, 'files-2'), { recursive: true });
      expect(refusal(value)).toBe(OUT);
    },
  );

  test('cannot leave it by a link to a file', () => {
    symlinkSync(join(outside, 'secret'), join(folder, 'files/link'));
    expect(refusal('link')).toBe(OUT);
  });

  test('cannot leave it by a link in its folders', () => {
    symlinkSync(outside, join(folder, 'files/up'));
    expect(refusal('up/secret')).toBe(OUT);
    expect(refusal('up/new-file')).toBe(OUT);
  });

  test('cannot leave it by ".." after a link: ".." goes up from the target of the link', () => {
    symlinkSync(join(outside, 'deep'), join(folder, 'files/down'));
    expect(refusal('down/../secret')).toBe(OUT);
    // Read as text, this is "a b.txt" in the root itself.
    expect(refusal('down/../a b.txt')).toBe(OUT);
  });

  test('cannot leave it by a dangling link: a command could create the file', () => {
    symlinkSync(join(outside, 'to-be-made'), join(folder, 'files/dangling'));
    expect(refusal('dangling')).toBe(OUT);
    expect(refusal('dangling/x')).toBe(OUT);
  });

  test('may use links that stay in it, including relative ones and chains', () => {
    symlinkSync('sub', join(folder, 'files/one'));
    symlinkSync('./one/../one', join(folder, 'files/two'));
    symlinkSync('made-later', join(folder, 'files/three'));
    expect(placed('two/x')).toBe(join(folder, 'files/sub/x'));
    expect(placed('three')).toBe(join(folder, 'files/made-later'));
  });

  test('may have a root that is a link itself, with ".." after it', () => {
    symlinkSync('files', join(folder, 'current'));
    expect(placed('a b.txt', { root: 'current' })).toBe(join(folder, 'files/a b.txt'));
    expect(placed(join(folder, 'files/sub'), { root: 'current' })).toBe(join(folder, 'files/sub'));
    expect(refusal('../other', { root: 'current' })).toContain('leads out of "current"');
  });

  test('is resolved again in each call: a new link counts', () => {
    expect(placed('later/x')).toBe(join(folder, 'files/later/x'));
    symlinkSync(outside, join(folder, 'files/later'));
    expect(refusal('later/x')).toBe(OUT);
  });

  test('gives the reason if it cannot be resolved', () => {
    symlinkSync('loop', join(folder, 'files/loop'));
    expect(refusal('loop')).toContain('leads through more than 40 links');
    expect(refusal('missing/../../other')).toContain('goes up with ".." from a folder that does not exist');
    expect(refusal('a b.txt/..')).toContain('goes through a file as if it were a folder');
    expect(refusal('x', { root: 'gone' })).toContain('its root "gone" does not exist on the agent');
  });

  test('is not resolved if it is no path: bind gives the reason', () => {
    expect(placed('-rf')).toBe('none');
    expect(placed('~/x')).toBe('none');
  });
});

describe('a path without a root', () => {
  test.each([
    ['a', 'work/a'],
    ['./-rf', 'work/-rf'],
    ['././a/', 'work/a/'],
    ['.', 'work'],
    ['../x', 'work/../x'],
  ])('starts at the folder that the command runs in: %s', (value, path) => {
    const given = new Map([['file', value]]);
    const paths = placePaths({ args: [plain] }, given, { folder, cwd: `${folder}/work` });
    expect(paths.get('file')).toBe(`${folder}/${path}`);
  });

  test('does not change if it is absolute', () => {
    const given = new Map([['file', '/etc/../x']]);
    expect(placePaths({ args: [plain] }, given, { folder, cwd: '/' }).get('file')).toBe('/etc/../x');
    expect(placePaths({ args: [plain] }, new Map([['file', 'x']]), { folder, cwd: '/' }).get('file')).toBe(
      '/x',
    );
  });
});

const plain: Argument = {
  name: 'file',
  required: true,
  type: 'path',
  inferred: false,
  secret: false,
  allowDash: false,
};
