import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { runs } from '../../test/effort.ts';
import { rebuildOutput } from '../execution/frame.ts';
import { OutputEncoder } from '../execution/output-encoder.ts';
import { splitFrame } from '../execution/split-frame.ts';
import { LIMITS } from '../plan/limits.ts';
import { LINK_LIMITS } from './limits.ts';
import { decodeOutputFrame, encodeOutputFrame, type OutputFrame, sequenceOf } from './output-frame.ts';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';
const EVENT = new TextEncoder().encode('data: {"type":"output","data":"hi"}\n\n');
const FRAME: OutputFrame = { kind: 'output', executionId: ID, seq: 1, endings: undefined, bytes: EVENT };

const anyFrame: fc.Arbitrary<OutputFrame> = fc.record({
  kind: fc.constant('result' as const),
  executionId: fc.uuid(),
  seq: fc.integer({ min: 1, max: 0xffff_ffff }),
  endings: fc.constantFrom(undefined, '[]', '[[0,1,"crlf"]]', '[[0,2,"cut"],[3,1,"none"]]'),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 300 }),
});

/** The message with some of its bytes replaced. */
function altered(message: Uint8Array, at: number, bytes: readonly number[]): Uint8Array {
  const copy = message.slice();
  copy.set(bytes, at);
  return copy;
}

test('any frame arrives as it was sent, also out of the middle of a buffer', () => {
  fc.assert(
    fc.property(anyFrame, fc.nat(9), (frame, before) => {
      const message = encodeOutputFrame(frame);
      const buffer = new Uint8Array(before + message.length);
      buffer.set(message, before);
      expect(decodeOutputFrame(buffer.subarray(before))).toEqual({ kind: 'frame', frame });
      expect(sequenceOf(buffer.subarray(before))).toBe(frame.seq);
    }),
  );
});

test('the layout is the one that is written down', () => {
  const message = encodeOutputFrame({ ...FRAME, seq: 258, endings: '[]' });
  expect(message.toHex()).toBe(
    `01${ID.replaceAll('-', '')}0000010200000002${Buffer.from('[]').toString('hex')}${EVENT.toHex()}`,
  );
});

test('any output travels in valid frames, and is rebuilt from them', () => {
  const part = fc.constantFrom(
    '\n',
    '\r\n',
    'a\n',
    '\u0000'.repeat(LIMITS.lineBytes + 1),
    'x'.repeat(100_000),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = `${parts.join('')}end`;
      const encoder = new OutputEncoder();
      const frames = [encoder.push(new TextEncoder().encode(text)), encoder.end()]
        .filter((frame) => frame !== undefined)
        .flatMap((frame) => splitFrame(frame, LINK_LIMITS.outputTargetBytes));
      const arrived = frames.map(({ sse, lines, endings }, index) => {
        const message = encodeOutputFrame({
          ...FRAME,
          seq: index + 1,
          endings: endings.length === 0 ? undefined : JSON.stringify(endings),
          bytes: sse,
        });
        const decoded = decodeOutputFrame(message);
        if (decoded.kind === 'refused') throw new Error(decoded.message);
        const runs = JSON.parse(decoded.frame.endings ?? '[]');
        return { sse: decoded.frame.bytes, lines, endings: runs };
      });
      expect(rebuildOutput(arrived)).toBe(text);
    }),
    { numRuns: runs(60) },
  );
});

test('a million line ends of both kinds in turn travel within the limit', () => {
  const frame = new OutputEncoder().push(new TextEncoder().encode('\r\n\n'.repeat(500_000)));
  if (frame === undefined) throw new Error('no frame');
  for (const { sse, endings } of splitFrame(frame, LINK_LIMITS.outputTargetBytes)) {
    const message = encodeOutputFrame({ ...FRAME, endings: JSON.stringify(endings), bytes: sse });
    expect(decodeOutputFrame(message).kind).toBe('frame');
  }
});

describe('an invalid frame is refused, with its place', () => {
  const message = encodeOutputFrame({ ...FRAME, endings: '[[0,1,"crlf"]]' });
  const withEndings = (endings: string) => encodeOutputFrame({ ...FRAME, endings });

  test.each([
    ['nothing', new Uint8Array(0), 'output.more than 25 bytes expected'],
    ['a header alone', message.subarray(0, 25), 'output.more than 25 bytes expected'],
    ['another kind', altered(message, 0, [3]), 'output.kind: 1 or 2 expected'],
    ['no number', altered(message, 17, [0, 0, 0, 0]), 'output.seq: 1 or more expected'],
    ['too long endings', altered(message, 21, [255, 255, 255, 255]), /^output\.endings: fewer bytes/],
    ['endings to the end', altered(message, 21, [0, 0, 0, message.length - 25]), /^output\.endings: fewer/],
    ['a cut event', message.subarray(0, -1), 'output.bytes: whole output events expected'],
    [
      'another event',
      encodeOutputFrame({ ...FRAME, bytes: Buffer.from('data: {"type":"done"}\n\n') }),
      /events/,
    ],
    ['endings that are no JSON', withEndings('['), /^output\.endings: a list/],
    ['endings that are no list', withEndings('{}'), /^output\.endings: a list/],
    ['endings out of order', withEndings('[[3,1,"cut"],[0,1,"cut"]]'), /^output\.endings: a list/],
    ['endings of no line', withEndings('[[0,0,"cut"]]'), /^output\.endings: a list/],
    ['endings before the first', withEndings('[[-1,1,"cut"]]'), /^output\.endings: a list/],
    ['endings beyond all lines', withEndings('[[0,999999999,"cut"]]'), /^output\.endings: a list/],
    [
      'endings that are longer than the events',
      withEndings(`[${' '.repeat(EVENT.length)}]`),
      /no more bytes/,
    ],
    ['another ending', withEndings('[[0,1,"lf"]]'), /^output\.endings: a list/],
    [
      'more than the limit',
      new Uint8Array(LINK_LIMITS.outputFrameBytes + 1).fill(1),
      'output.the frame is too long',
    ],
  ])('%s', (_, bytes, expected) => {
    const decoded = decodeOutputFrame(bytes);
    expect(decoded.kind === 'refused' ? decoded.message : 'accepted').toMatch(expected);
  });

  test('no bytes cause an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(), fc.nat(255), (junk, at, byte) => {
        decodeOutputFrame(junk);
        decodeOutputFrame(altered(message, at % message.length, [byte]));
      }),
      { numRuns: runs(5_000) },
    );
  });
});
