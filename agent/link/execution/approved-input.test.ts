import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import type { CommandInput, InputPiece } from '../../runner/runner.ts';
import { ApprovedInput } from './approved-input.ts';

const bytes = (text: string): InputPiece => ({ kind: 'bytes', bytes: Buffer.from(text) });
const approved = { bytes: 6, sha256: createHash('sha256').update('abcdef').digest('hex') };

async function read(...pieces: InputPiece[]): Promise<string[]> {
  const given: CommandInput = {
    next: async () => pieces.shift() ?? { kind: 'end' },
    cutOff: new Promise<never>(() => undefined),
    close: () => undefined,
  };
  const input = new ApprovedInput(given, approved);
  const kinds: string[] = [];
  for (;;) {
    const piece = await input.next();
    kinds.push(piece.kind);
    if (piece.kind !== 'bytes') return kinds;
  }
}

test('a command reads the end of the body that was approved', async () => {
  expect(await read(bytes('abc'), bytes('def'))).toEqual(['bytes', 'bytes', 'end']);
});

test.each([
  ['another byte', ['abc', 'dEf'], ['bytes', 'bytes', 'cut']],
  ['a byte less', ['abc', 'de'], ['bytes', 'bytes', 'cut']],
  ['a byte more', ['abc', 'defg'], ['bytes', 'cut']],
])('it never reads the end of a body with %s', async (_, texts, kinds) => {
  expect(await read(...texts.map(bytes))).toEqual(kinds);
});
