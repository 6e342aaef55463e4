import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { ExecutionStream } from './execution-stream.ts';
import type { RequestedEvents } from './stream-ports.ts';

const encoder = new TextEncoder();
const output = (id: string, data: string) =>
  `id: ${id}\ndata: ${JSON.stringify({ type: 'output', data })}\n\n`;
const DONE = 'id: end\ndata: {"type":"done","exit_code":3,"duration_ms":12}\n\n';

type Pieces = readonly (string | Uint8Array)[];

/** Each entry answers one connection: pieces of a stream, which then ends or falls silent; a status; a failure; or silence. */
type Answer = Pieces | { readonly silentAfter: Pieces } | number | Error | 'silence';

/** A stream of these pieces, which then ends or calls `onSilence`; an abort breaks it. */
function streamOfPieces(
  pieces: Pieces,
  signal: AbortSignal,
  onSilence?: () => void,
): ReadableStream<Uint8Array> {
  const rest = pieces.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece));
  return new ReadableStream(
    {
      start(controller) {
        signal.addEventListener('abort', () => controller.error(signal.reason));
      },
      pull(controller) {
        const piece = rest.shift();
        if (piece !== undefined) controller.enqueue(piece);
        else if (onSilence === undefined) controller.close();
        else onSilence();
      },
    },
    { highWaterMark: 0 },
  );
}

/** @param nowMs returns the time at each look at the clock */
function streamOf(answers: Answer[], nowMs = () => 0) {
  const requests: RequestedEvents[] = [];
  const positions: (string | undefined)[] = [];
  const slept: number[] = [];
  const watches = new Set<() => void>();
  const reconnected = Promise.withResolvers<void>();
  /** Reports silence to each watch that was not called off, after the present read has begun. */
  const passSilence = () =>
    setTimeout(() => {
      for (const onSilence of [...watches]) onSilence();
    });
  const stream = new ExecutionStream('id', {
    random: () => 1,
    nowMs,
    yieldToPage: () => Promise.resolve(),
    async pause(ms, signal) {
      if (ms !== undefined) return void slept.push(ms);
      const left = new Promise((resolve) => signal.addEventListener('abort', resolve));
      await Promise.race([reconnected.promise, left]);
    },
    watchSilence(_, onSilence) {
      watches.add(onSilence);
      return () => watches.delete(onSilence);
    },
    async open(_, events, signal) {
      requests.push(events);
      positions.push(events.after);
      const answer = answers.shift();
      if (answer === undefined) throw new Error('asked too often');
      if (answer instanceof Error) throw answer;
      if (answer === 'silence') {
        passSilence();
        return await new Promise((_resolve, reject) => signal.addEventListener('abort', reject));
      }
      if (typeof answer === 'number') return new Response(null, { status: answer });
      return new Response(
        'silentAfter' in answer
          ? streamOfPieces(answer.silentAfter, signal, passSilence)
          : streamOfPieces(answer, signal),
      );
    },
  });
  const lines = () => Array.from({ length: stream.log.end }, (_, index) => stream.log.at(index)?.text);
  const follow = (signal = new AbortController().signal) => stream.follow(signal);
  const untilRefused = () =>
    new Promise<void>((resolve) => stream.subscribe(() => stream.phase.kind === 'refused' && resolve()));
  return { stream, requests, positions, slept, lines, follow, untilRefused, reconnect: reconnected.resolve };
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

  test('is over when there is nothing more', async () => {
    const { stream, follow } = streamOf([[output('1.1', 'a')], 204]);
    await follow();
    expect(stream.phase).toEqual({ kind: 'ended' });
  });

  test.each([401, 403, 404])(
    'goes on after %d, which a proxy answers for a hub that restarts',
    async (status) => {
      const { slept, lines, follow } = streamOf([
        [output('1.1', 'a')],
        status,
        status,
        [output('1.2', 'b'), DONE],
      ]);
      await follow();
      expect(lines()).toEqual(['a', 'b']);
      expect(slept).toEqual([500, 1000, 2000]);
    },
  );

  test('is refused after three refusals in a row, and tried again when the dashboard has connected anew', async () => {
    const { stream, positions, slept, lines, follow, untilRefused, reconnect } = streamOf([
      404,
      404,
      404,
      404,
      [output('1.1', 'a'), DONE],
    ]);
    const followed = follow();
    await untilRefused();
    expect(stream.phase).toEqual({ kind: 'refused', status: 404 });
    expect(positions).toHaveLength(3);
    expect(slept).toHaveLength(2);
    reconnect();
    await followed;
    // The refusals are counted anew: the fourth one is the first of them, and is followed by a pause.
    expect(slept).toHaveLength(3);
    expect(lines()).toEqual(['a']);
  });

  test('that was refused is tried again when the execution is shown again', async () => {
    const { lines, follow, untilRefused } = streamOf([404, 404, 404, [output('1.1', 'a'), DONE]]);
    const leave = new AbortController();
    void follow(leave.signal);
    await untilRefused();
    leave.abort();
    await follow();
    expect(lines()).toEqual(['a']);
  });

  test('is asked for again when nothing comes for too long, before the answer and within it', async () => {
    const { positions, lines, follow } = streamOf([
      'silence',
      { silentAfter: [output('1.1', 'a')] },
      [output('1.2', 'b'), DONE],
    ]);
    await follow();
    expect(positions).toEqual([undefined, undefined, '1.1']);
    expect(lines()).toEqual(['a', 'b']);
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

describe('a stream that begins with its last events', () => {
  const SKIPPED = 'data: {"type":"skipped","events":3,"lines":3}\n\n';
  const tail = `${SKIPPED}${output('2.1', 'd')}${DONE}`;
  const earlier = [output('1.1', 'a'), output('1.2', 'b'), output('1.3', 'c')];

  test('asks for the earlier ones when they are wanted, and once', async () => {
    const { stream, requests, lines, follow } = streamOf([[tail], earlier]);
    await follow();
    expect([stream.log.first, stream.log.end, stream.earlier]).toEqual([3, 4, undefined]);
    const both = [stream.loadFrom(1), stream.loadFrom(0)];
    expect(stream.earlier).toBe('loading');
    await Promise.all(both);
    expect(lines()).toEqual(['a', 'b', 'c', 'd']);
    expect(stream.earlier).toBeUndefined();
    await Promise.all([stream.loadFrom(0), stream.loadFrom(3)]);
    expect(stream.earlier).toBeUndefined();
    expect(requests).toEqual([{ last: 2_000 }, { before: '2.1', last: undefined }]);
  });

  test('asks for the earlier ones only when it knows the first event', async () => {
    const { stream, requests, lines, follow } = streamOf([[SKIPPED, output('2.1', 'd'), DONE], earlier]);
    let loaded: Promise<void> | undefined;
    stream.subscribe(() => {
      if (stream.log.end === 3) loaded ??= stream.loadFrom(1);
    });
    await follow();
    await loaded;
    expect(requests).toEqual([{ last: 2_000 }, { before: '2.1', last: undefined }]);
    expect([stream.earlier, ...lines()]).toEqual([undefined, 'a', 'b', 'c', 'd']);
  });

  test('asks for nothing when its reader leaves before the first event', async () => {
    const leave = new AbortController();
    const { stream, requests } = streamOf([[SKIPPED]]);
    let loaded: Promise<void> | undefined;
    stream.subscribe(() => {
      if (stream.log.end !== 3 || loaded !== undefined) return;
      loaded = stream.loadFrom(0);
      leave.abort();
    });
    await stream.follow(leave.signal);
    await loaded;
    expect([stream.earlier, requests.length]).toEqual([undefined, 1]);
  });

  test('asks anew for a reader that comes while a load of the previous one is aborted', async () => {
    const leave = new AbortController();
    const { stream, requests, lines, follow } = streamOf([[tail], 'silence', earlier]);
    await stream.follow(leave.signal);
    const aborted = stream.loadFrom(0);
    while (requests.length < 2) await Promise.resolve();
    leave.abort();
    await follow();
    await Promise.all([aborted, stream.loadFrom(0)]);
    expect([stream.earlier, ...lines()]).toEqual([undefined, 'a', 'b', 'c', 'd']);
    expect(requests).toHaveLength(3);
  });

  test('no longer says that lines could not be loaded when the log has no room for them', async () => {
    const { stream, follow } = streamOf([[tail], 500]);
    await follow();
    await stream.loadFrom(0);
    expect(stream.earlier).toBe('failed');
    const long = 'x'.repeat(40 * 1024 * 1024);
    for (const text of [long, long]) stream.log.append(text);
    expect([stream.log.isWhole, stream.earlier]).toEqual([true, undefined]);
  });

  test('asks for the next ones before those that it has', async () => {
    const page = Array.from({ length: 600 }, (_, place) => output(`8.${place + 1}`, 'x'));
    const begin = `data: {"type":"skipped","events":9000,"lines":9000}\n\n${output('9.1', 'd')}${DONE}`;
    const { stream, requests, follow } = streamOf([[begin], page, []]);
    await follow();
    await stream.loadFrom(8_500);
    expect([stream.log.first, stream.log.isWhole]).toEqual([8_400, false]);
    await stream.loadFrom(0);
    expect(requests.slice(1)).toEqual([
      { before: '9.1', last: 1_500 },
      { before: '8.1', last: undefined },
    ]);
    // The hub has no more.
    expect([stream.log.first, stream.log.isWhole]).toEqual([8_400, true]);
  });

  test('adds many of them in pieces, and a reader that comes in between goes on before those', async () => {
    const all = Array.from({ length: 12_000 }, (_, place) => output(`1.${place + 1}`, `${place}`));
    const begin = `data: {"type":"skipped","events":12000,"lines":12000}\n\n${output('9.1', 'd')}${DONE}`;
    const { stream, requests, lines, follow } = streamOf([[begin], all, all.slice(0, 10_000)]);
    const leave = new AbortController();
    await stream.follow(leave.signal);
    const firsts: number[] = [];
    stream.subscribe(() => {
      if (firsts.at(-1) !== stream.log.first) firsts.push(stream.log.first);
      if (firsts.length === 2) leave.abort();
    });
    await stream.loadFrom(0);
    await follow();
    await stream.loadFrom(0);
    expect(requests.slice(1).map(({ before }) => before)).toEqual(['9.1', '1.10001']);
    expect(firsts).toEqual([12_000, 10_000, 5_000, 0]);
    expect(lines()).toEqual([...all.map((_, place) => `${place}`), 'd']);
  });

  test('says when they could not be loaded, and tries when asked again', async () => {
    const failed = 'data: {"type":"error","error":"gone"}\n\n';
    const { stream, requests, lines, follow } = streamOf([
      [tail],
      new Error('no way'),
      500,
      [...earlier.slice(0, 1), failed],
      earlier,
    ]);
    await follow();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await stream.loadFrom(0);
      expect([stream.earlier, stream.log.first]).toEqual(['failed', 3]);
    }
    await stream.loadFrom(0);
    expect([stream.earlier, ...lines()]).toEqual([undefined, 'a', 'b', 'c', 'd']);
    expect(requests).toHaveLength(5);
  });

  test('continues after its first connection broke, at its beginning or later', async () => {
    const { requests, lines, follow } = streamOf([
      [SKIPPED],
      [`data: {"type":"skipped","events":4,"lines":4}\n\n${output('2.2', 'e')}`],
      [DONE],
    ]);
    await follow();
    expect(requests).toEqual([{ last: 2_000 }, { last: 2_000 }, { after: '2.2' }]);
    expect(lines()).toEqual([undefined, undefined, undefined, undefined, 'e']);
  });

  test('is read whole from a hub that cannot begin at the end', async () => {
    const { stream, requests, lines, follow } = streamOf([400, [...earlier, DONE]]);
    await follow();
    expect(requests).toEqual([{ last: 2_000 }, { after: undefined }]);
    expect([lines().length, stream.log.isWhole]).toEqual([3, true]);
  });

  test('knows of raw stdout that it has not loaded', async () => {
    const raw = SKIPPED.replace('}', ',"encoding":"base64"}');
    const { stream, follow } = streamOf([[`${raw}${output('2.1', 'd')}${DONE}`]]);
    await follow();
    expect(stream.result.isRaw).toBe(true);
  });
});

describe('a stream whose output was cut while it was away', () => {
  const marker = (id: string, lines: number) =>
    output(id, `[svc: ${lines * 10} bytes of the stream cut here (${lines} lines), over the limit]`);
  const head = [output('1.1', 'a'), output('1.2', 'b'), output('1.3', 'c')];
  /** What the hub has on record in the end: three lines, the marker for three, and the seventh. */
  const record = [...head, marker('4.1', 3), output('5.1', 'g'), DONE];
  const texts = ['a', 'b', 'c', '[svc: 30 bytes of the stream cut here (3 lines), over the limit]', 'g'];
  const numbers = (stream: ExecutionStream) => [stream.log.printed, stream.log.numberOf(stream.log.end - 1)];

  test('is read anew when it has some of the lines that were cut', async () => {
    const { stream, requests, lines, follow } = streamOf([
      [...head, output('2.1', 'd'), output('3.1', 'e')],
      [marker('4.1', 3), output('5.1', 'g'), DONE],
      record,
    ]);
    await follow();
    expect(requests).toEqual([{ last: 2_000 }, { after: '3.1' }, { last: 2_000 }]);
    expect(lines()).toEqual(texts);
    expect([...numbers(stream), stream.log.cutLines]).toEqual([7, 7, 3]);
  });

  test('is read anew when more was cut than it knows', async () => {
    const { stream, requests, lines, follow } = streamOf([
      [...head, marker('3.1', 2), output('4.1', 'f')],
      [marker('4.1', 3), output('5.1', 'g'), DONE],
      record,
    ]);
    await follow();
    expect(requests).toHaveLength(3);
    expect([lines(), numbers(stream)]).toEqual([texts, [7, 7]]);
  });

  test('goes on when it had left before the cut', async () => {
    const { stream, requests, lines, follow } = streamOf([head.slice(0, 2), record.slice(2)]);
    await follow();
    expect(requests).toEqual([{ last: 2_000 }, { after: '1.2' }]);
    expect([lines(), numbers(stream)]).toEqual([texts, [7, 7]]);
  });

  test('keeps its lines until the first event of the new reading, however long that takes', async () => {
    const { stream, requests, lines, follow } = streamOf([
      [...head, output('2.1', 'd')],
      [marker('4.1', 3), output('5.1', 'g')],
      new Error('no way'),
      ['data: {"type":"skipped","events":4,"lines":4,"cut_after":3,"cut_lines":3}\n\n'],
      [
        'data: {"type":"skipped","events":4,"lines":4,"cut_after":3,"cut_lines":3}\n\n',
        output('5.1', 'g'),
        DONE,
      ],
    ]);
    const shown: string[] = [];
    stream.subscribe(() => {
      const now = lines().join(' ').trim();
      if (shown.at(-1) !== now) shown.push(now);
    });
    await follow();
    expect(shown).toEqual(['', 'a', 'a b', 'a b c', 'a b c d', 'g']);
    expect(requests.map(({ after }) => after)).toEqual([undefined, '2.1', undefined, undefined, undefined]);
    expect(numbers(stream)).toEqual([7, 7]);
  });

  test('adds no earlier lines of the reading before', async () => {
    const skipped = (lines: number) => `data: {"type":"skipped","events":${lines},"lines":${lines}`;
    const { stream, lines, follow, held } = streamWithHeldLoad(
      [
        [`${skipped(3)}}\n\n`, output('2.1', 'd'), output('3.1', 'e')],
        [marker('4.1', 3), output('5.1', 'g'), DONE],
        [`${skipped(4)},"cut_after":3,"cut_lines":3}\n\n`, output('5.1', 'g'), DONE],
      ],
      record.slice(0, 4),
    );
    let loaded: Promise<void> | undefined;
    stream.subscribe(() => {
      if (stream.log.end === 5) loaded ??= stream.loadFrom(0);
    });
    await follow();
    held.resolve(new Response(head.join('')));
    await loaded;
    expect([lines(), numbers(stream), stream.earlier]).toEqual([texts, [7, 7], undefined]);
  });
});

/** A stream whose request for what is before its first event, `2.1`, is answered when the test says so. */
function streamWithHeldLoad(answers: Pieces[], earlier: Pieces) {
  const held = Promise.withResolvers<Response>();
  const stream = new ExecutionStream('id', {
    random: () => 1,
    nowMs: () => 0,
    yieldToPage: () => Promise.resolve(),
    pause: () => Promise.resolve(),
    watchSilence: () => () => undefined,
    async open(_, { before }, signal) {
      if (before === '2.1') return await held.promise;
      return new Response(streamOfPieces(before === undefined ? (answers.shift() ?? []) : earlier, signal));
    },
  });
  const lines = () => Array.from({ length: stream.log.end }, (_, index) => stream.log.at(index)?.text);
  return { stream, lines, held, follow: () => stream.follow(new AbortController().signal) };
}
