// The last events of an execution, and those before them: decision 90, output from its end. The agent is played by the test.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { LIMITS } from '@svc/core/plan/limits';
import { ExecutionStream } from '@svc/web/execution/stream/execution-stream';
import type { RequestedEvents } from '@svc/web/execution/stream/stream-ports';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { withoutComments } from '../without-comments.ts';

setDefaultTimeout(60_000);

const DONE = 'id: end\ndata: {"type":"done","exit_code":0,"duration_ms":5}\n\n';

let world: HubWorld;
let agent: ScriptedAgent;
beforeAll(async () => {
  world = await hubWorld();
  agent = await world.agent({ endpoints: [{ name: 'hello', command: 'true' }] });
});
afterAll(() => world[Symbol.asyncDispose]());

/** An execution with this output, one text a piece, which has not ended. The end of output that is cut is not acknowledged. */
async function printed(texts: readonly string[], unacknowledged = 0): Promise<string> {
  const called = world.call('hello', { headers: { prefer: 'respond-async' } });
  const { execution_id: id } = await agent.receive('run');
  await called;
  let acknowledged = 0;
  const untilAcknowledged = async (seq: number) => {
    while (acknowledged < seq)
      acknowledged = (await agent.receive('ack', (ack) => ack.execution_id === id)).seq;
  };
  for (const [place, text] of texts.entries()) {
    agent.output(id, place + 1, text);
    await untilAcknowledged(place + 1 - unacknowledged);
  }
  return id;
}

async function ended(texts: readonly string[], unacknowledged = 0): Promise<string> {
  const id = await printed(texts, unacknowledged);
  await end(id, texts.length);
  return id;
}

async function end(id: string, seq: number): Promise<void> {
  agent.end(id, seq);
  await agent.receive('ended_ack', (ack) => ack.execution_id === id);
}

function ask(id: string, query: string, headers: Record<string, string> = {}): Promise<Response> {
  return world.manage(`/executions/${id}/stream${query}`, { headers });
}

async function read(id: string, query: string, headers: Record<string, string> = {}): Promise<string> {
  return withoutComments(await (await ask(id, query, headers)).text());
}

const event = (id: string, data: string) =>
  `id: ${id}\ndata: ${JSON.stringify({ type: 'output', data })}\n\n`;
const skipped = (count: number) => `data: {"type":"skipped","events":${count},"lines":${count}}\n\n`;

test('the last events come with what was skipped, and the ones before them on request', async () => {
  const id = await ended(['a\nb\n', 'c\nd\ne\n', 'f\n']);
  const [a, b, c, d, e, f] = [
    event('1.1', 'a'),
    event('1.2', 'b'),
    event('2.1', 'c'),
    event('2.2', 'd'),
    event('2.3', 'e'),
    event('3.1', 'f'),
  ];
  expect(await read(id, '?last=1')).toBe(`${skipped(5)}${f}${DONE}`);
  expect(await read(id, '?last=3')).toBe(`${skipped(3)}${d}${e}${f}${DONE}`);
  // A reader that has everything is not told what it lacks.
  for (const query of ['?last=6', '?last=100000', ''])
    expect(await read(id, query)).toBe(`${a}${b}${c}${d}${e}${f}${DONE}`);
  expect(await read(id, '?last=2&before=2.2')).toBe(`${b}${c}`);
  expect(await read(id, '?before=2.2')).toBe(`${a}${b}${c}`);
  expect(await read(id, '?before=2.1&last=1')).toBe(b);
  expect(await read(id, '?after=1.1&before=2.3')).toBe(`${b}${c}${d}`);
  expect(await read(id, '?before=1.1&last=9')).toBe('');
  expect(await read(id, '?before=end&last=2')).toBe(`${e}${f}`);
  // EventSource reconnects with the same URL, and with what it has.
  expect(await read(id, '?last=1', { 'last-event-id': '2.2' })).toBe(`${e}${f}${DONE}`);
});

test('output that is empty has no last events and none before its end', async () => {
  const id = await printed([]);
  expect(await read(id, '?before=end')).toBe('');
  expect(await read(id, '?before=end&last=5')).toBe('');
  const followed = ask(id, '?last=5');
  await end(id, 0);
  expect(withoutComments(await (await followed).text())).toBe(DONE);
  expect(await read(id, '?before=end')).toBe('');
  expect(await read(id, '?last=1')).toBe(DONE);
});

test('a range is compressed', async () => {
  const id = await ended([`${'line\n'.repeat(9_000)}`, 'end\n']);
  const answer = await ask(id, '?last=10', { 'accept-encoding': 'gzip' });
  expect(answer.headers.get('content-encoding')).toBe('gzip');
  expect(withoutComments(await answer.text()).length).toBeLessThan(1_000);
  const earlier = await ask(id, '?before=2.1&last=100', { 'accept-encoding': 'gzip' });
  expect(earlier.headers.get('content-encoding')).toBe('gzip');
  expect((await earlier.text()).match(/^id: 1\.\d+$/gm)).toHaveLength(100);
});

test('an execution that runs is followed from its last events, and what is before them has its end', async () => {
  const id = await printed(['a\nb\n', 'c\n']);
  const followed = ask(id, '?last=2');
  await followed;
  expect(await read(id, '?before=1.2')).toBe(event('1.1', 'a'));
  expect(await read(id, '?before=end')).toBe(`${event('1.1', 'a')}${event('1.2', 'b')}${event('2.1', 'c')}`);
  agent.output(id, 3, 'd\n');
  await end(id, 3);
  expect(withoutComments(await (await followed).text())).toBe(
    `${skipped(1)}${event('1.2', 'b')}${event('2.1', 'c')}${event('3.1', 'd')}${DONE}`,
  );
});

test('output that was cut before them is said with its true numbers', async () => {
  const text = `${'x'.repeat(999)}\n`;
  const pieces = Math.ceil(LIMITS.storedOutputBytes / 100_000) + 60;
  const id = await ended([...Array.from({ length: pieces }, () => text.repeat(100)), 'last\n'], 30);
  const all = await read(id, '');
  const marker = /\[svc: \d+ bytes of the stream cut here \((\d+) lines\), over the limit\]/.exec(all);
  const before = all.slice(0, marker?.index).split('\n\n').length - 1;
  const kept = all.match(/"type":"output"/g)?.length ?? 0;
  expect(before + Number(marker?.[1]) + (kept - before - 1)).toBe(pieces * 100 + 1);
  const last = await read(id, '?last=1');
  expect(JSON.parse(last.slice('data: '.length, last.indexOf('\n')))).toEqual({
    type: 'skipped',
    events: kept - 1,
    lines: kept - 1,
    cut_after: before,
    cut_lines: Number(marker?.[1]),
  });
  expect(last).toEndWith(`${event(`${pieces + 1}.1`, 'last')}${DONE}`);
});

test('a reader that returns behind a cut has true line numbers, while the execution runs and after it', async () => {
  const piece = `${'x'.repeat(999)}\n`.repeat(100);
  // Within the part that is stored at once.
  const begun = Math.floor(LIMITS.storedOutputBytes / 200_000);
  const id = await printed(Array.from({ length: begun }, () => piece));
  const { stream, requests, leave, comeBack } = dashboardStream(id);
  const followed = stream.follow(new AbortController().signal);
  let seq = begun;
  const print = (pieces: number) => {
    for (let count = 0; count < pieces; count += 1) agent.output(id, ++seq, piece);
  };
  print(Math.ceil(LIMITS.storedOutputBytes / 150_000));
  await until(stream, () => stream.log.printed === seq * 100);
  leave();
  print(60);
  const lines = seq * 100;
  agent.output(id, ++seq, 'seen\n');
  await agent.receive('ack', (ack) => ack.execution_id === id && ack.seq >= seq - 40);
  comeBack();
  const last = () => stream.log.at(stream.log.end - 1);
  await until(stream, () => last()?.text === 'seen');
  expect([stream.log.printed, last()?.event]).toEqual([lines + 1, lines + 1]);
  expect(stream.log.cutLines).toBeGreaterThan(0);
  expect(requests.map(({ after, last }) => after === undefined && last)).toEqual([2_000, false, 2_000]);
  agent.output(id, ++seq, 'last\n');
  await end(id, seq);
  await followed;
  expect([last()?.text, stream.log.printed]).toEqual(['last', lines + 2]);
  await stream.loadFrom(0);
  const kept = (await read(id, '')).match(/"type":"output"/g)?.length ?? 0;
  expect([stream.log.first, stream.log.end, kept - 1 + stream.log.cutLines]).toEqual([0, kept, lines + 2]);
});

/** The stream of the dashboard, over the hub. */
function dashboardStream(executionId: string) {
  const requests: RequestedEvents[] = [];
  let connection = new AbortController();
  const back = Promise.withResolvers<void>();
  const stream = new ExecutionStream(executionId, {
    random: () => 0,
    nowMs: () => 0,
    yieldToPage: () => Promise.resolve(),
    watchSilence: () => () => undefined,
    pause: () => back.promise,
    open(id, events, signal) {
      if (events.before === undefined) requests.push(events);
      connection = new AbortController();
      const given = Object.entries(events).filter(([, value]) => value !== undefined);
      const query = new URLSearchParams(given.map(([name, value]) => [name, `${value}`]));
      const either = AbortSignal.any([signal, connection.signal]);
      return world.manage(`/executions/${id}/stream?${query}`, { signal: either });
    },
  });
  return { stream, requests, leave: () => connection.abort(), comeBack: back.resolve };
}

async function until(stream: ExecutionStream, isSo: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const unsubscribe = stream.subscribe(() => isSo() && resolve());
  if (isSo()) resolve();
  await promise;
  unsubscribe();
}

test.each([
  ['?last=0', 'last: a whole number from 1 to 100000 expected'],
  ['?last=many', 'last: a whole number from 1 to 100000 expected'],
  ['?last=100001', 'last: a whole number from 1 to 100000 expected'],
  ['?last=1&after=1.1', 'last: expected without after, which already says where to begin'],
  ['?before=3', 'before: the id of an event of this stream expected'],
  ['?before=nonsense', 'before: the id of an event of this stream expected'],
])('%s is refused: %s', async (query, message) => {
  const id = await ended(['a\n']);
  const answer = await ask(id, query);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: message, code: 'invalid_argument' });
});
