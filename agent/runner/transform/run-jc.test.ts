import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '@svc/core/plan/limits';
import { temporaryFolder } from '../../../test/temporary-folder.ts';
import { runJc } from './run-jc.ts';
import { transformOutput } from './transform-output.ts';

setDefaultTimeout(60_000);

const missing = Bun.which('jc') === null;
const utf8 = (text: string) => new TextEncoder().encode(text);
const jc = (parser: string, text: string, more: object = {}) =>
  transformOutput({ parse: 'jc', parser, onError: 'fail', ...more }, utf8(text));

describe.skipIf(missing)('parse: jc', () => {
  test('has the types that a parser of jc gives, and select', async () => {
    const text = 'uid=1000(ada) gid=1000(ada) groups=1000(ada),27(sudo)\n';
    expect(await jc('id', text, { select: '{name: .uid.name, groups: [.groups[].id]}' })).toEqual({
      kind: 'data',
      json: '{"name":"ada","groups":[1000,27]}',
    });
  });

  test('gets the lines that skip and until leave', async () => {
    const text = 'a note\nuid=0(root) gid=0(root) groups=0(root)\nend\n';
    expect(await jc('id', text, { skip: 1, until: 'end', select: '.uid.id' })).toEqual({
      kind: 'data',
      json: '0',
    });
  });

  test('a parser that does not exist is a failure with the words of jc', async () => {
    expect(await jc('no-such-parser', 'x')).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/^jc: .+/),
    });
  });
});

test('a machine without jc says what is missing', async () => {
  expect(await runJc('id', '', '/nonexistent')).toEqual({
    kind: 'failed',
    reason: 'jc: the program jc is not installed on this machine (Debian and Homebrew have it as jc)',
  });
});

test('a jc that hangs is ended before the worker that waits for it', async () => {
  await using folder = await temporaryFolder();
  writeFileSync(join(folder.path, 'jc'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
  const begunAt = performance.now();
  const result = await runJc('id', '', `${folder.path}:/usr/bin:/bin`);
  expect(result).toEqual({ kind: 'failed', reason: 'jc: it ended with SIGKILL' });
  expect(performance.now() - begunAt).toBeLessThan(LIMITS.transformMs);
});
