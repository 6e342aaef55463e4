import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { CollectingSink } from './collected.ts';

type Part = readonly ['stdout' | 'stderr', Uint8Array<ArrayBuffer>];

const parts = fc.array(
  fc.tuple(
    fc.constantFrom('stdout' as const, 'stderr' as const),
    fc.uint8Array({ maxLength: 300 }).map((array) => new Uint8Array(array)),
  ),
  { maxLength: 200 },
);

function collect(all: readonly Part[], limits = { stdout: 1_000_000, stderr: 1_000_000 }): CollectingSink {
  const collected = new CollectingSink(limits);
  for (const [from, chunk] of all) collected.add(from, chunk);
  return collected;
}

const merged = (collected: CollectingSink) => Buffer.concat([...collected.merged()]);
const only = (all: readonly Part[], wanted: string) =>
  Buffer.concat(all.filter(([from]) => from === wanted).map(([, chunk]) => chunk));

test('returns all output in the order of arrival, and stdout alone', () => {
  fc.assert(
    fc.property(parts, (all) => {
      const collected = collect(all);
      expect(merged(collected).equals(Buffer.concat(all.map(([, chunk]) => chunk)))).toBe(true);
      expect(only(all, 'stdout').equals(collected.stdout() ?? Buffer.of(1))).toBe(true);
    }),
  );
});

test('returns more than the initial buffer, in pieces', () => {
  const chunk = (byte: number) => new Uint8Array(150_000).fill(byte);
  const all: Part[] = [
    ['stdout', chunk(1)],
    ['stderr', chunk(2)],
    ['stdout', chunk(3)],
  ];
  const collected = collect(all);
  expect(merged(collected).equals(Buffer.concat(all.map(([, bytes]) => bytes)))).toBe(true);
  expect(Math.max(...[...collected.merged()].map(({ length }) => length))).toBeLessThanOrEqual(64 * 1024);
});

const text = (string: string) => new TextEncoder().encode(string) as Uint8Array<ArrayBuffer>;

test('stdout of exactly the limit is whole', () => {
  const collected = collect([['stdout', text('12345')]], { stdout: 5, stderr: 5 });
  expect(collected.stdout()).toEqual(text('12345'));
});

test('stdout beyond the limit is not transformed, and the output reports the missing bytes', () => {
  const collected = collect(
    [
      ['stdout', text('12345')],
      ['stdout', text('6')],
      ['stderr', text('error')],
    ],
    {
      stdout: 5,
      stderr: 3,
    },
  );
  expect(collected.stdout()).toBeUndefined();
  expect(merged(collected).toString()).toBe('12345err\n[svc: 3 bytes of output were not kept]\n');
});

test('stderr beyond its limit leaves stdout whole', () => {
  const collected = collect(
    [
      ['stderr', text('error')],
      ['stdout', text('12345')],
    ],
    { stdout: 5, stderr: 3 },
  );
  expect(collected.stdout()).toEqual(text('12345'));
});
