import { describe, expect, test } from 'bun:test';
import { decodeTailMessage, encodeTailMessage } from '../bus/tail-message.ts';
import { OutputEncoder } from '../execution/output-encoder.ts';
import { countEvents } from '../execution/split-frame.ts';
import { mayShow, showsLine, type TailFilter } from './tail-filter.ts';
import { TAIL_LINE_CHARS, TailBuffer, type TailLine, tailLines } from './tail-line.ts';

const OF = { executionId: 'x', endpoint: 'deploy' };
const bytes = (text: string) => new TextEncoder().encode(text);
const encoded = (text: string, stream?: 'stderr') =>
  new OutputEncoder(stream && { stream }).push(bytes(text))?.sse ?? new Uint8Array();
const event = (fields: object) => bytes(`data: ${JSON.stringify({ type: 'output', ...fields })}\n\n`);

describe('tailLines', () => {
  test('yields the lines of a piece with the execution and its endpoint', () => {
    const sse = encoded('a\n\nline "two" \\n\n');
    expect([...tailLines(sse, OF)]).toEqual([
      { ...OF, data: 'a' },
      { ...OF, data: '' },
      { ...OF, data: 'line "two" \\n' },
    ]);
    expect(countEvents(sse)).toBe(3);
  });

  test('marks lines of stderr', () => {
    expect([...tailLines(encoded('oh\n', 'stderr'), OF)]).toEqual([{ ...OF, stream: 'stderr', data: 'oh' }]);
  });

  test('splits raw stdout into lines, and shows of other bytes only the number', () => {
    const raw = (data: Uint8Array) => event({ encoding: 'base64', data: data.toBase64() });
    expect([...tailLines(raw(bytes('a\nb\n')), OF)].map(({ data }) => data)).toEqual(['a', 'b']);
    expect([...tailLines(raw(new Uint8Array([0, 1])), OF)].map(({ data }) => data)).toEqual([
      '[svc: 2 bytes that are no text]',
    ]);
  });

  test('throws for anything but output events', () => {
    for (const text of [
      'data: {}\n\n',
      'data: {"type":"output","data":1}\n\n',
      'x',
      'data: {"type":"done"}\n\n',
    ])
      expect(() => [...tailLines(bytes(text), OF)]).toThrow();
  });

  test('shortens a long line, and never in the middle of a character', () => {
    const [line] = tailLines(encoded(`${'a'.repeat(TAIL_LINE_CHARS - 1)}🦊🦊\n`), OF);
    expect(line?.isCut).toBe(true);
    expect(line?.data.length).toBe(TAIL_LINE_CHARS);
    expect(line?.data.isWellFormed()).toBe(true);
  });
});

describe('a tail shows', () => {
  const line: TailLine = { ...OF, data: 'Connection REFUSED' };
  const execution = { slug: 'deploy', agentName: 'web-1', callerKind: 'api_key', callerId: 'k' };
  const executions: [TailFilter, boolean][] = [
    [{}, true],
    [{ slug: 'deploy', agentName: 'web-1', keyId: 'k' }, true],
    [{ slug: 'build' }, false],
    [{ agentName: 'web-2' }, false],
    [{ keyId: 'other' }, false],
  ];
  test.each(executions)('executions for %j: %p', (filter, isShown) => {
    expect(mayShow(filter, execution)).toBe(isShown);
  });

  test('to a key nothing that a member with the same id started', () => {
    expect(mayShow({ keyId: 'k' }, { ...execution, callerKind: 'member' })).toBe(false);
  });

  const lines: [TailFilter, boolean][] = [
    [{}, true],
    [{ text: 'refused' }, true],
    [{ text: 'REFUSED' }, true],
    [{ text: 'timeout' }, false],
    [{ stream: 'stderr' }, false],
  ];
  test.each(lines)('lines for %j: %p', (filter, isShown) => {
    expect(showsLine(filter, line)).toBe(isShown);
  });
});

describe('a buffer of lines', () => {
  const line = (data: string): TailLine => ({ ...OF, data });

  test('takes lines up to its limit, counts the others, and is empty after it was taken', () => {
    const buffer = new TailBuffer({ lines: 2, chars: 10 });
    for (const data of ['a', 'b', 'c']) buffer.add(line(data));
    buffer.drop(4);
    expect(buffer.take()).toEqual({ lines: [line('a'), line('b')], dropped: 5 });
    expect(buffer.isEmpty).toBe(true);
    buffer.add(line('d'));
    expect(buffer.take()).toEqual({ lines: [line('d')], dropped: 0 });
  });

  test('counts characters as well as lines', () => {
    const buffer = new TailBuffer({ lines: 10, chars: 10 });
    for (const data of ['12345678', '123', '12']) buffer.add(line(data));
    expect(buffer.take()).toEqual({ lines: [line('12345678'), line('12')], dropped: 1 });
  });
});

describe('a message between hubs', () => {
  test('carries lines, and is undefined for any other bytes', () => {
    const batch = {
      lines: [{ ...OF, stream: 'stderr' as const, data: 'ä', isCut: true as const }],
      dropped: 3,
    };
    expect(decodeTailMessage(encodeTailMessage(batch))).toEqual(batch);
    for (const text of ['', '{', 'null', '{"lines":[{}],"dropped":0}', '{"lines":[],"dropped":-1}'])
      expect(decodeTailMessage(bytes(text))).toBeUndefined();
  });
});
