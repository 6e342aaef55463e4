import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { ExecutionStream } from './execution-stream.ts';

const encoder = new TextEncoder();
const output = (id: string, data: string) =>
  `id: ${id}\ndata: ${JSON.stringify({ type: 'output', data })}\n\n`;
const DONE = 'id: end\ndata: {"type":"done","exit_code":3,"duration_ms":12}\n\n';

/** Each entry answers one connection: pieces of a stream, which then ends; a status; or a failure. */
type Answer = readonly (string | Uint8Array)[] | number | Error;

/** @param nowMs returns the time at each look at the clock */
function streamOf(answers: Answer[], nowMs = () => 0) {
  const positions: (string | undefined)[] = [];
  const slept: number[] = [];
  const stream = new ExecutionStream('id', {
    random: () => 1,
    nowMs,
    yieldToPage: () => Promise.resolve(),
    sleep: async (ms) => void slept.push(ms),
    open: async (_, after) => {
      positions.push(after);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      if (typeof answer === 'number') return new Response(null, { status: answer });
      if (answer === undefined) throw new Error('asked too often');
      const pieces = answer.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece));
      return new Response(
        new ReadableStream({
          start(controller) {
            for (const piece of pieces) controller.enqueue(piece);
            controller.close();
          },
        }),
      );
    },
  });
  const lines = () => Array.from({ length: stream.log.end }, (_, index) => stream.log.at(index)?.text);
  return { stream, positions, slept, lines, follow: () => stream.follow(new AbortController().signal) };
}

describe('the stream of an execution', () => {
  test('is read to its end, in whatever pieces it comes', async () => {
    const bytes = encoder.encode(`: \n\n${output('1.1', 'grüße')}${output('1.2', '')}${DONE}`);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 8 }), async (cuts) => {
        const ends = [...cuts, bytes.length].toSorted((a, b) => a - b);
        const pieces = ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end));
        const { stream, lines, follow } = streamOf([pieces]);
        await follow();
        expect(lines()).toEqual(['grüße', '']);
        expect(stream.result.end).toEqual({ kind: 'done', exitCode: 3, durationMs: 12 });
        expect(stream.phase).toEqual({ kind: 'ended' });
      }),
      { numRuns: 50 },
    );
  });

  test('shows raw stdout that is text as lines, and of other bytes their number', async () => {
    const raw = (id: string, bytes: Uint8Array | string) =>
      `id: ${id}\ndata: {"type":"output","encoding":"base64","data":"${Buffer.from(bytes).toString('base64')}"}\n\n`;
    const { stream, lines, follow } = streamOf([
      [raw('1.1', 'a;b\n1;2\n'), raw('1.2', Uint8Array.of(255, 0)), DONE],
    ]);
    await follow();
    expect(lines()).toEqual(['a;b', '1;2', '[svc: 2 bytes that are no text]']);
    expect(stream.result.isRaw).toBe(true);
  });

  test('notes when lines arrive once a pause shows that it has caught up, on each connection anew', async () => {
    // Before and after each read: the second of the first connection takes a second, no other one does.
    const looks = [0, 10, 10, 1_010, 1_010, 1_020, 1_020, 1_030, 1_100, 1_110, 1_110, 1_120, 1_120];
    const { stream, follow } = streamOf(
      [
        [output('1.1', 'before'), output('1.2', 'live'), output('1.3', 'next')],
        [output('1.4', 'again'), DONE],
      ],
      () => looks.shift() ?? 0,
    );
    await follow();
    expect([0, 1, 2, 3].map((index) => stream.log.at(index)?.arrivedMs)).toEqual([
      undefined,
      1_010,
      1_020,
      undefined,
    ]);
  });

  test('continues after the last whole event when a connection breaks', async () => {
    const { positions, lines, follow } = streamOf([
      [output('1.1', 'a'), output('1.2', 'b').slice(0, -3)],
      [output('1.2', 'b'), DONE],
    ]);
    await follow();
    expect(positions).toEqual([undefined, '1.1']);
    expect(lines()).toEqual(['a', 'b']);
  });

  test('waits longer with each try that brings nothing, and as short as at first after one that did', async () => {
    const { slept, follow } = streamOf([new Error('down'), 503, 429, [output('1.1', 'a')], [DONE]]);
    await follow();
    expect(slept).toEqual([500, 1000, 2000, 500]);
  });

  test('never waits longer than a quarter of a minute', async () => {
    const { slept, follow } = streamOf([...Array.from({ length: 12 }, () => new Error('down')), [DONE]]);
    await follow();
    expect(Math.max(...slept)).toBe(15_000);
  });

  test('is over when there is nothing more, and when it may not be read', async () => {
    const over = streamOf([[output('1.1', 'a')], 204]);
    await over.follow();
    expect(over.stream.phase).toEqual({ kind: 'ended' });
    const refused = streamOf([404]);
    await refused.follow();
    expect(refused.stream.phase).toEqual({ kind: 'refused', status: 404 });
  });

  test('continues after an error of the connection, and ends with an error of the execution', async () => {
    const { stream, positions, follow } = streamOf([
      [output('1.1', 'a'), 'data: {"type":"error","error":"too slow"}\n\n'],
      [output('1.2', 'b'), 'id: end\ndata: {"type":"error","error":"timed out"}\n\n'],
    ]);
    const seen: (string | undefined)[] = [];
    stream.subscribe(() => seen.push(stream.result.interruption));
    await follow();
    expect(positions).toEqual([undefined, '1.1']);
    expect(seen).toContain('too slow');
    expect(stream.result).toEqual({ end: { kind: 'error', error: 'timed out' } });
  });

  test('keeps the digits of transformed output', async () => {
    const event = '{"type":"transformed_output","data":{"id":12345678901234567890}}';
    const { stream, follow } = streamOf([[`data: ${event}\n\n${DONE}`]]);
    await follow();
    expect(stream.result.transformed).toBe(event);
  });

  test('passes over events that it does not know', async () => {
    const { lines, follow } = streamOf([
      ['data: {"type":"news"}\n\ndata: no json\n\n', output('1.1', 'a'), DONE],
    ]);
    await follow();
    expect(lines()).toEqual(['a']);
  });

  test('stops when its reader stops, and continues later', async () => {
    const leave = new AbortController();
    const { stream, positions, lines, follow } = streamOf([[output('1.1', 'a')], [DONE]]);
    stream.subscribe(() => stream.log.end === 1 && leave.abort());
    await stream.follow(leave.signal);
    expect([positions.length, stream.phase.kind]).toEqual([1, 'live']);
    await follow();
    expect(positions).toEqual([undefined, '1.1']);
    expect(lines()).toEqual(['a']);
  });
});
