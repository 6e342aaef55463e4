import { expect, test } from 'bun:test';
import { shortageOf } from './shortage.ts';

const coded = (code: unknown, options?: ErrorOptions) =>
  Object.assign(new Error('it failed', options), { code });

test.each([
  ['EMFILE', 'descriptors'],
  ['ENFILE', 'descriptors'],
  ['ENOSPC', 'disk'],
  ['EDQUOT', 'disk'],
] as const)('%s means that the machine has run out of %s', (code, shortage) => {
  expect(shortageOf(coded(code))).toBe(shortage);
});

test('the cause of an error counts, however deep it is', () => {
  const middle = new Error('the journal cannot be written', { cause: coded('ENOSPC') });
  expect(shortageOf(new Error('nothing was started', { cause: middle }))).toBe('disk');
});

test.each([[coded('EIO')], [coded('EAGAIN')], [coded(undefined)], ['ENOSPC'], [undefined]])(
  '%p is no shortage',
  (error) => {
    expect(shortageOf(error)).toBeUndefined();
  },
);
