import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { readTraceparent, traceparentOf } from './traceparent.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

test.each([
  [`00-${TRACE}-${SPAN}-01`, true],
  [`00-${TRACE}-${SPAN}-00`, false],
  [`00-${TRACE}-${SPAN}-03`, true],
  [`00-${TRACE}-${SPAN}-fe`, false],
  [`cc-${TRACE}-${SPAN}-01`, true],
  [`cc-${TRACE}-${SPAN}-01-what-the-future-brings`, true],
])('"%s" is read', (text, isSampled) => {
  expect(readTraceparent(text)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled });
});

test.each([
  ['nothing', null],
  ['an empty one', ''],
  ['one that is not there', undefined],
  ['a version that is none', `ff-${TRACE}-${SPAN}-01`],
  ['more than the first version has', `00-${TRACE}-${SPAN}-01-more`],
  ['no end where more begins', `cc-${TRACE}-${SPAN}-01more`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['a short trace', `00-${TRACE.slice(1)}-${SPAN}-01`],
  ['a long span', `00-${TRACE}-${SPAN}0-01`],
  ['no flags', `00-${TRACE}-${SPAN}`],
  ['flags of one digit', `00-${TRACE}-${SPAN}-1`],
  ['two of them', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
  ['spaces', ` 00-${TRACE}-${SPAN}-01`],
  ['a line after it', `00-${TRACE}-${SPAN}-01\n`],
  ['letters that are no digits', `00-${TRACE.replace('0', 'g')}-${SPAN}-01`],
  ['a header without an end', `cc-${TRACE}-${SPAN}-01-${'x'.repeat(100_000)}`],
])('%s is no place in a trace', (_, text) => {
  expect(readTraceparent(text)).toBeUndefined();
});

test('a written value is read back', () => {
  const hex = (digits: number) =>
    fc
      .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits })
      .filter((text) => /[1-9a-f]/.test(text));
  const context = fc.record({ traceId: hex(32), spanId: hex(16), isSampled: fc.boolean() });
  fc.assert(fc.property(context, (one) => expect(readTraceparent(traceparentOf(one))).toEqual(one)));
});

test('nothing that is no place in a trace is thrown at', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const read = readTraceparent(text);
      if (read !== undefined) expect(text).toContain(read.traceId);
    }),
  );
});
