import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type ExecutionEvent, readEvent } from './event.ts';
import { encodeEvent, encodeId, encodeTransformed, KEEP_ALIVE } from './sse.ts';
import { SseDecoder, type SseMessage } from './sse-decoder.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const decode = (text: string) => new SseDecoder().push(utf8(text));
const data = (text: string) => decode(text).map((message) => message.data);

describe('writing', () => {
  test.each<[ExecutionEvent, string]>([
    [{ type: 'output', data: 'a "b"\u2028' }, '{"type":"output","data":"a \\"b\\"\u2028"}'],
    [{ type: 'transformed_output', data: { a: [1] } }, '{"type":"transformed_output","data":{"a":[1]}}'],
    [{ type: 'done', exit_code: 3, duration_ms: 12 }, '{"type":"done","exit_code":3,"duration_ms":12}'],
    [{ type: 'error', error: 'no\nagent' }, '{"type":"error","error":"no\\nagent"}'],
    [{ data: 'x', step: 'build', type: 'output' }, '{"type":"output","step":"build","data":"x"}'],
  ])('%j is one data line and a blank one', (event, json) => {
    expect(encodeEvent(event)).toBe(`data: ${json}\n\n`);
  });

  test('a transformed output keeps the digits of its JSON text', () => {
    expect(encodeTransformed('[1e400,100000000000000000001]')).toBe(
      'data: {"type":"transformed_output","data":[1e400,100000000000000000001]}\n\n',
    );
    expect(encodeTransformed('1', 'a"b')).toBe(
      'data: {"type":"transformed_output","step":"a\\"b","data":1}\n\n',
    );
  });

  test('a keep-alive and an id alone are no events', () => {
    const decoder = new SseDecoder();
    expect(decoder.push(utf8(KEEP_ALIVE + encodeId('42') + KEEP_ALIVE))).toEqual([]);
    expect(decoder.lastEventId).toBe('42');
  });

  test('written events are read back, cut anywhere', () => {
    const event = fc.oneof<fc.Arbitrary<ExecutionEvent>[]>(
      fc.record({ type: fc.constant('output'), step: fc.string(), data: fc.string({ unit: 'binary' }) }),
      fc.record({ type: fc.constant('transformed_output'), data: fc.jsonValue() }),
      fc.record({ type: fc.constant('done'), exit_code: fc.nat(255), duration_ms: fc.nat() }),
      fc.record({ type: fc.constant('error'), error: fc.string({ unit: 'grapheme' }) }),
    );
    fc.assert(
      fc.property(fc.array(event), fc.nat(40), (events, size) => {
        const read = pushInPieces(events.map(encodeEvent).join(KEEP_ALIVE), size + 1);
        expect(read.map((message) => readEvent(message.data))).toEqual(JSON.parse(JSON.stringify(events)));
      }),
    );
  });
});

describe('reading an event', () => {
  test.each([
    '',
    '{',
    'null',
    '[]',
    '"output"',
    '{"type":"output"}',
    '{"type":"output","data":1}',
    '{"type":"done","exit_code":1}',
    '{"type":"error"}',
    '{"type":"transformed_output"}',
    '{"type":"later","data":""}',
    '{"type":"output","data":"","step":1}',
  ])('%s is not one of our events', (json) => {
    expect(readEvent(json)).toBeUndefined();
  });
});

function pushInPieces(text: string, size: number): SseMessage[] {
  const decoder = new SseDecoder();
  const bytes = utf8(text);
  const messages: SseMessage[] = [];
  for (let at = 0; at < bytes.length; at += size)
    messages.push(...decoder.push(bytes.subarray(at, at + size)));
  return messages;
}

describe('the grammar of event streams', () => {
  test.each([
    ['lines that end in LF, CR and CRLF', 'data: a\n\ndata: b\r\rdata: c\r\n\r\n', ['a', 'b', 'c']],
    ['a mixture of line ends inside a block', 'data: a\rdata: b\r\n\ndata: c\n\r\n', ['a\nb', 'c']],
    [
      'one byte order mark at the start is dropped, a second is not',
      '\ufeffdata: a\n\n\ufeffdata: b\n\n',
      ['a'],
    ],
    ['of two byte order marks at the start the second stays', '\ufeff\ufeffdata: a\n\ndata: b\n\n', ['b']],
    ['several data lines are one text', 'data: a\ndata:\ndata: b\n\n', ['a\n\nb']],
    ['one space after the colon is dropped', 'data:a\n\ndata:  b\n\n', ['a', ' b']],
    ['an empty data line is an event with an empty text', 'data\n\ndata:\n\n', ['', '']],
    ['comments and unknown fields are skipped', ': hi\n:\nfoo: bar\nData: x\ndata: a\n\n', ['a']],
    ['blocks without data are no events', 'event: x\n\n\n\nid: 1\n\n', []],
    ['an event that the stream breaks off in is never seen', 'data: a\n\ndata: b\n', ['a']],
  ])('%s', (_, text, expected) => {
    expect(data(text)).toEqual(expected);
  });

  test('an event line names the type of its own block only', () => {
    expect(decode('event: x\ndata: a\n\nevent: y\n\ndata: b\n\n').map((message) => message.type)).toEqual([
      'x',
      'message',
    ]);
  });

  test('an id holds until the next one, an empty id clears it, one with NUL is ignored', () => {
    const ids = decode('id: 1\ndata: a\n\ndata: b\n\nid: 2\0\ndata: c\n\nid\ndata: d\n\n').map(
      (m) => m.lastEventId,
    );
    expect(ids).toEqual(['1', '1', '1', '']);
  });

  test('an id counts only once its block is complete', () => {
    const decoder = new SseDecoder();
    decoder.push(utf8('id: 1\n\nid: 2\ndata: x\n'));
    expect(decoder.lastEventId).toBe('1');
  });

  test('retry is digits only', () => {
    const decoder = new SseDecoder();
    decoder.push(utf8('retry: 1500\n\nretry: 1s\n\nretry: -1\n\nretry:\n\n'));
    expect(decoder.retryMs).toBe(1500);
  });

  test('any cut of the bytes gives the same messages', () => {
    const piece = fc.constantFrom(
      'data',
      'id',
      'event',
      ':',
      ' ',
      '\n',
      '\r',
      '\r\n',
      'é',
      '😀',
      '\ufeff',
      'a',
      '\0',
      'data: x\n\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(5), (pieces, size) => {
        expect(pushInPieces(pieces.join(''), size + 1)).toEqual(decode(pieces.join('')));
      }),
      { numRuns: 3000 },
    );
  });

  test('a message is complete with its last byte', () => {
    const decoder = new SseDecoder();
    expect(decoder.push(utf8('data: a\r\n'))).toEqual([]);
    expect(decoder.push(utf8('\r')).map((message) => message.data)).toEqual(['a']);
    expect(decoder.push(utf8('\ndata: b\n\n')).map((message) => message.data)).toEqual(['b']);
  });
});
