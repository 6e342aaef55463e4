import { expect, test } from 'bun:test';
import { formatPath } from '../../config/validation-issue.ts';
import { checkPipeline } from './check-pipeline.ts';
import { managedSecretOf } from './trigger-secret.ts';

const nodes = [{ id: 'a', endpoint: 'run' }];

function found(secret: unknown, isFile = false): string[] {
  const checked = checkPipeline({ slug: 'a', trigger: { type: 'webhook', secret }, nodes }, { isFile });
  return checked.kind === 'pipeline'
    ? []
    : checked.issues.map(({ path, message }) => `${formatPath(path)}: ${message}`);
}

test('the secret of a trigger stands for itself, or names a managed one', () => {
  expect([found('whsec_c2VjcmV0'), found('$svc:HOOK'), found('svc:HOOK')]).toEqual([[], [], []]);
  expect([managedSecretOf('$svc:HOOK'), managedSecretOf('HOOK'), managedSecretOf(undefined)]).toEqual([
    'HOOK',
    undefined,
    undefined,
  ]);
});

test('the name has to be one that a managed secret can have', () => {
  for (const name of ['', 'PATH', 'a-b', 'x'.repeat(65)])
    expect(found(`$svc:${name}`)).toEqual([
      `trigger.secret: "${name}" cannot be the name of a managed secret`,
    ]);
});

test('a file is no place for a secret that stands for itself', () => {
  expect(found('$svc:HOOK', true)).toEqual([]);
  expect(found('hunter2', true)).toEqual([
    'trigger.secret: a file is no place for a secret; a managed one expected, as $svc:NAME',
  ]);
});

test('the problem of a secret is reported without the secret', () => {
  for (const secret of [
    1234567,
    '',
    ['hunter2'],
    { a: 'hunter2' },
    `hunter2${'x'.repeat(1_000)}`,
    'hunter2\0',
  ])
    for (const message of found(secret)) {
      expect(message).toStartWith('trigger.secret: ');
      expect(message).not.toContain('hunter2');
      expect(message).not.toContain('1234567');
    }
  expect(found(1234567)).toHaveLength(1);
});
