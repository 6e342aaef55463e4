import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { runs } from '../../test/effort.ts';
import { anyAgentFrame, anyHubFrame } from './fixtures/any-frame.ts';
import { decodeAgentFrame, decodeHubFrame, encodeFrame } from './frame.ts';
import { LINK_LIMITS } from './limits.ts';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';
const HASH = 'ab'.repeat(32);
const RUN = { type: 'run', execution_id: ID, endpoint: 'hello', hash: HASH, args: {}, secrets: {} };
const HELLO = {
  type: 'hello',
  protocol: { min: 1, max: 1 },
  agent: 'default',
  instance: ID,
  boot: 'b',
  process: ID,
  version: '1',
  host: { hostname: 'h', os: 'linux', arch: 'x64' },
  local_only: false,
  revision: 1,
  endpoints: [{ name: 'hello', hash: HASH, definition: { name: 'hello', command: 'echo' } }],
  in_flight: [],
};

const hubMessage = (frame: unknown) => messageOf(decodeHubFrame(JSON.stringify(frame)));
const agentMessage = (frame: unknown) => messageOf(decodeAgentFrame(JSON.stringify(frame)));
function messageOf(decoded: ReturnType<typeof decodeHubFrame> | ReturnType<typeof decodeAgentFrame>) {
  return decoded.kind === 'refused' ? decoded.message : 'accepted';
}

describe('any frame', () => {
  test('of an agent arrives as it was sent', () => {
    fc.assert(
      fc.property(anyAgentFrame, (frame) => {
        expect(decodeAgentFrame(encodeFrame(frame))).toEqual({ kind: 'frame', frame });
      }),
      { numRuns: runs(2_000) },
    );
  });

  test('of a hub arrives as it was sent', () => {
    fc.assert(
      fc.property(anyHubFrame, (frame) => {
        expect(decodeHubFrame(encodeFrame(frame))).toEqual({ kind: 'frame', frame });
      }),
      { numRuns: runs(2_000) },
    );
  });

  test('with one part replaced by anything is a frame or a refusal, never an error', () => {
    fc.assert(
      fc.property(fc.oneof(anyAgentFrame, anyHubFrame), fc.nat(), fc.jsonValue(), (frame, at, junk) => {
        const keys = Object.keys(frame);
        const text = JSON.stringify({ ...frame, [keys[at % keys.length] ?? 'type']: junk });
        for (const decoded of [decodeAgentFrame(text), decodeHubFrame(text)]) {
          if (decoded.kind === 'refused') expect(decoded.message).toMatch(/ expected$| too long|JSON object/);
        }
      }),
      { numRuns: runs(3_000) },
    );
  });

  test('cut off anywhere is refused', () => {
    fc.assert(
      fc.property(anyHubFrame, fc.nat(), (frame, at) => {
        const text = encodeFrame(frame);
        expect(decodeHubFrame(text.slice(0, at % text.length)).kind).toBe('refused');
      }),
    );
  });
});

describe('a refusal says where and what is expected, and repeats no value', () => {
  test.each([
    [{ ...RUN, hash: 'secret' }, 'run.hash: 64 hexadecimal digits expected'],
    [{ ...RUN, execution_id: ID.toUpperCase() }, 'run.execution_id: a UUID in lower case expected'],
    [{ ...RUN, args: { a: 1 } }, 'run.args.a: text of at most 65536 characters expected'],
    [{ ...RUN, args: ['a'] }, 'run.args: an object with at most 1000 keys expected'],
    [{ ...RUN, traceparent: '$(secret)' }, 'run.traceparent: a traceparent expected'],
    [{ ...RUN, timeout: 0 }, 'run.timeout: a whole number from 1 to 86400 expected'],
    [{ ...RUN, secrets: undefined }, 'run.secrets: an object with at most 1000 keys expected'],
    [{ type: 'ack', execution_id: ID, seq: -1 }, 'ack.seq: a whole number from 0 to 4294967295 expected'],
    [{ type: 'ack', execution_id: ID, seq: 1.5 }, 'ack.seq: a whole number from 0 to 4294967295 expected'],
    [{ type: 'secret' }, 'type: a frame of a hub expected'],
    [{ type: 'hello' }, 'type: a frame of a hub expected'],
    [{ type: ['ack'] }, 'type: a frame of a hub expected'],
    [{}, 'type: a frame of a hub expected'],
    [[], 'type: a frame of a hub expected'],
    [null, 'a frame is one JSON object'],
    ['ack', 'a frame is one JSON object'],
  ])('%j: %s', (frame, message) => {
    expect(hubMessage(frame)).toBe(message);
  });

  test.each([
    [{ ...HELLO, agent: '../x' }, 'hello.agent: the name of an agent expected'],
    [{ ...HELLO, agent: 'x'.repeat(65) }, 'hello.agent: the name of an agent expected'],
    [
      { ...HELLO, protocol: { min: 0, max: 1 } },
      'hello.protocol.min: a whole number from 1 to 1000 expected',
    ],
    [
      { ...HELLO, endpoints: [...HELLO.endpoints, { name: 'B', hash: HASH, definition: {} }] },
      'hello.endpoints[1].name: a slug expected',
    ],
    [{ type: 'ended', execution_id: ID, last_seq: 1 }, 'ended.ending: how an execution ended expected'],
    [
      {
        type: 'ended',
        execution_id: ID,
        last_seq: 1,
        ending: { kind: 'exited', exit_code: 'x', duration_ms: 1 },
      },
      'ended.ending.exit_code: a whole number from 0 to 4294967295 expected',
    ],
  ])('%j: %s', (frame, message) => {
    expect(agentMessage(frame)).toBe(message);
  });
});

describe('both sides of each limit', () => {
  const messages = LINK_LIMITS.messageChars;
  const endpoint = HELLO.endpoints[0];
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
  const withDefinition = (definition: unknown) => ({ ...HELLO, endpoints: [{ ...endpoint, definition }] });

  test.each([
    ['a message', (length: number) => ({ type: 'error', code: 'c', message: 'x'.repeat(length) }), messages],
    ['keys of args', (count: number) => ({ ...RUN, args: keys(count) }), LINK_LIMITS.args],
    ['secrets', (count: number) => ({ ...RUN, secrets: keys(count) }), LINK_LIMITS.secrets],
    ['masks', (count: number) => ({ ...RUN, mask: Array(count).fill('x') }), LINK_LIMITS.masks],
    [
      'a definition',
      (levels: number) => ({ ...RUN, definition: nested(levels) }),
      LINK_LIMITS.definitionDepth,
    ],
  ])('%s', (_, frameOf, limit) => {
    expect(hubMessage(frameOf(limit))).toBe('accepted');
    expect(hubMessage(frameOf(limit + 1))).toContain('expected');
  });

  test('endpoints and executions in flight', () => {
    const flight = { execution_id: ID, last_seq: 0, ended: false };
    const { endpoints, inFlight } = LINK_LIMITS;
    expect(agentMessage({ ...HELLO, endpoints: Array(endpoints).fill(endpoint) })).toBe('accepted');
    expect(agentMessage({ ...HELLO, endpoints: Array(endpoints + 1).fill(endpoint) })).toContain('expected');
    expect(agentMessage({ ...HELLO, in_flight: Array(inFlight).fill(flight) })).toBe('accepted');
    expect(agentMessage({ ...HELLO, in_flight: Array(inFlight + 1).fill(flight) })).toContain('expected');
  });

  test('the bytes of a frame, which hello may have more of than others', () => {
    const padding = (frame: object, bytes: number) => {
      const text = JSON.stringify({ ...frame, padding: '' });
      return text.replace('"padding":""', `"padding":"${'x'.repeat(bytes - text.length)}"`);
    };
    const ack = { type: 'ended_ack', execution_id: ID };
    expect(decodeHubFrame(padding(ack, LINK_LIMITS.textFrameBytes)).kind).toBe('frame');
    expect(decodeHubFrame(padding(ack, LINK_LIMITS.textFrameBytes + 1)).kind).toBe('refused');
    expect(decodeAgentFrame(padding(HELLO, LINK_LIMITS.largeTextFrameBytes)).kind).toBe('frame');
    expect(decodeAgentFrame(padding(HELLO, LINK_LIMITS.largeTextFrameBytes + 1)).kind).toBe('refused');
    const wide = padding(HELLO, LINK_LIMITS.largeTextFrameBytes / 2).replaceAll('xx', 'ää');
    expect(decodeAgentFrame(wide).kind).toBe('frame');
    expect(decodeAgentFrame(wide.replace('ä', '€')).kind).toBe('frame');
    expect(decodeAgentFrame(wide.replaceAll('ä', '€')).kind).toBe('refused');
  });

  test('text that is nested a million deep is refused', () => {
    for (const open of ['[', '{"a":']) {
      expect(decodeHubFrame(open.repeat(500_000)).kind).toBe('refused');
      const definition = `${open.repeat(200_000)}1${open === '[' ? ']'.repeat(200_000) : '}'.repeat(200_000)}`;
      const text = JSON.stringify(withDefinition('HERE')).replace('"HERE"', definition);
      expect(decodeAgentFrame(text).kind).toBe('refused');
    }
  });

  function keys(count: number) {
    return Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, '']));
  }
});

test('keys that a later version may add are left out', () => {
  const ending = { kind: 'exited', exit_code: 0, duration_ms: 1 };
  const ended = { type: 'ended', execution_id: '01a1f8f9-6cb9-71ed-a31e-d55e8abc609c', last_seq: 0, ending };
  expect(decodeAgentFrame(JSON.stringify({ ...ended, later: [[1, 2]] }))).toEqual({
    kind: 'frame',
    frame: ended as never,
  });
  expect(decodeHubFrame(JSON.stringify({ ...RUN, later: 1 }))).toEqual({
    kind: 'frame',
    frame: RUN as never,
  });
});
