import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { cutMarker, readCutMarker } from './cut-marker.ts';
import type { OutputEvent } from './event.ts';
import { LastEvents } from './last-events.ts';
import { linesOf } from './raw-output.ts';
import { encodeEvent } from './sse.ts';

const encoder = new TextEncoder();

function output(data: string, more: Partial<OutputEvent> = {}): OutputEvent {
  return { type: 'output', ...more, data };
}

function raw(text: string): OutputEvent {
  return output(Buffer.from(text).toString('base64'), { encoding: 'base64' });
}

interface Piece {
  readonly seq: number;
  readonly events: readonly OutputEvent[];
}

function readBackwards(pieces: readonly Piece[], wanted: number, before?: { seq: number; events: number }) {
  const last = new LastEvents(wanted, before);
  for (const { seq, events } of pieces.toReversed())
    if (before === undefined || seq <= before.seq)
      last.add(seq, encoder.encode(events.map(encodeEvent).join('')));
  return last;
}

describe('the last events of a stream', () => {
  const pieces: Piece[] = [
    { seq: 1, events: [output('a'), output('b')] },
    { seq: 2, events: [output('c')] },
    { seq: 4, events: [output('d'), output('e'), output('f')] },
  ];

  test.each([
    [1, { seq: 4, events: 2 }, 5],
    [3, { seq: 4, events: 0 }, 3],
    [4, { seq: 2, events: 0 }, 2],
    [5, { seq: 1, events: 1 }, 1],
    [6, { seq: 1, events: 0 }, 0],
    [7, { seq: 1, events: 0 }, 0],
  ])('the last %i begin after %j, and the events before them are counted: %i', (wanted, from, skipped) => {
    const last = readBackwards(pieces, wanted);
    expect(last.from).toEqual(from);
    expect(last.skipped).toEqual({ events: skipped, lines: skipped, cut: undefined, isRaw: undefined });
    expect(last.isFound).toBe(wanted <= 6);
  });

  test.each([
    [1, { seq: 4, events: 1 }, { seq: 4, events: 0 }],
    [2, { seq: 4, events: 1 }, { seq: 2, events: 0 }],
    [1, { seq: 4, events: 0 }, { seq: 2, events: 0 }],
    [1, { seq: 3, events: 5 }, { seq: 2, events: 0 }],
    [9, { seq: 1, events: 1 }, { seq: 1, events: 0 }],
    [1, { seq: 1, events: 0 }, { seq: 1, events: 0 }],
  ])('%i before %j begin after %j', (wanted, before, from) => {
    expect(readBackwards(pieces, wanted, before).from).toEqual(from);
  });

  test('a gap before them is found by its marker, and said with the lines before it', () => {
    const marker = cutMarker({ bytes: 900, lines: 95 });
    const cut: Piece[] = [
      { seq: 1, events: [output('1'), output('2')] },
      { seq: 9, events: [output(marker)] },
      { seq: 10, events: [output('98'), output('99')] },
    ];
    expect(readBackwards(cut, 1).skipped).toMatchObject({
      events: 4,
      lines: 4,
      cut: { afterLines: 2, lines: 95 },
    });
    expect(readBackwards(cut, 2).skipped).toMatchObject({ events: 3, cut: { afterLines: 2, lines: 95 } });
    expect(readBackwards(cut, 3).skipped.cut).toBeUndefined();
    const unknown = [{ seq: 1, events: [output(cutMarker(undefined)), output('x'), output('y')] }];
    expect(readBackwards(unknown, 1).skipped).toMatchObject({ lines: 2, cut: { afterLines: 0, lines: 0 } });
    expect(
      readBackwards([{ seq: 1, events: [output('[svc: no marker]'), output('x')] }], 1).skipped.cut,
    ).toBeUndefined();
  });

  test('the lines of raw stdout are counted as they are shown', () => {
    const apart: Piece[] = [
      { seq: 1, events: [raw('one\ntwo\n'), raw('three')] },
      { seq: 2, events: [output('err', { stream: 'stderr' })] },
      { seq: 3, events: [output('more', { stream: 'stderr' })] },
    ];
    expect(readBackwards(apart, 1).skipped).toEqual({ events: 3, lines: 4, cut: undefined, isRaw: true });
    expect(readBackwards(apart, 2).skipped).toMatchObject({ events: 2, lines: 3 });
  });

  test('agree with the whole stream, however it is cut into pieces', () => {
    const line = fc.oneof(
      { weight: 8, arbitrary: fc.string({ maxLength: 5 }) },
      fc.constantFrom('', '\n\n', '[svc: ', cutMarker({ bytes: 7, lines: 3 }), cutMarker(undefined)),
    );
    const piece = fc.oneof(
      fc.array(
        line.map((data) => output(data)),
        { minLength: 1, maxLength: 6 },
      ),
      fc.array(
        line.map((data) => output(data, { stream: 'stderr' })),
        { minLength: 1, maxLength: 4 },
      ),
      fc.array(line.map(raw), { minLength: 1, maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.integer({ min: 1, max: 20 }), (stream, wanted) => {
        const given = stream.map((events, place) => ({ seq: place + 1, events }));
        const last = readBackwards(given, wanted);
        const all = given.flatMap(({ seq, events }) => events.map((event, place) => ({ seq, place, event })));
        const from = all.findIndex(
          ({ seq, place }) => seq > last.from.seq || (seq === last.from.seq && place >= last.from.events),
        );
        const skipped = from === -1 ? [] : all.slice(0, from).map(({ event }) => event);
        expect(all.length - skipped.length).toBe(Math.min(wanted, all.length));
        const lines = skipped.flatMap(linesOf);
        expect(last.skipped).toMatchObject({ events: skipped.length, lines: lines.length });
        // Raw stdout has no marker: each of its lines comes from the command.
        const texts = skipped.flatMap((event) => linesOf(event).map((text) => (event.encoding ? '' : text)));
        const marker = texts.findLastIndex((text) => readCutMarker(text) !== undefined);
        expect(last.skipped.cut?.afterLines).toBe(marker === -1 ? undefined : marker);
      }),
    );
  });
});
