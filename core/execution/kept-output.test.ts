import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { KeptOutput, type OutputPiece } from './kept-output.ts';

const LIMITS = { headBytes: 1000, tailBytes: 400 };
const MARKER_BYTES = 120;

function piece(seq: number, bytes: number): OutputPiece {
  return { seq, sse: new Uint8Array(bytes).fill(seq % 251) };
}

/** Everything that is stored in the end, and what was given up at most after each piece. */
function kept(sizes: readonly number[]) {
  const output = new KeptOutput<OutputPiece>(LIMITS);
  const stored: OutputPiece[] = [];
  let pieces = 0;
  sizes.forEach((size, index) => {
    const one = piece(index + 1, size);
    if (output.add(one)) stored.push(one);
    pieces = Math.max(
      pieces,
      output.pieces.reduce((sum, { sse }) => sum + sse.length, 0),
    );
  });
  return { output, pieces, stored: [...stored, ...output.end()] };
}

const sizes = fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 200 });

test('output within the head is stored as it arrives, and nothing is cut', () => {
  const { stored, output } = kept(Array(10).fill(100));
  expect([stored.length, output.cutSeq, output.pieces.length]).toEqual([10, 0, 0]);
});

test('is what came, less one run in the middle that a marker stands for, and never more than the limit', () => {
  fc.assert(
    fc.property(sizes, (all) => {
      const { stored, output, pieces } = kept(all);
      const { cutSeq } = output;
      const bytes = stored.reduce((sum, { sse }) => sum + sse.length, 0);
      expect(bytes).toBeLessThanOrEqual(LIMITS.headBytes + LIMITS.tailBytes + 100 + MARKER_BYTES);
      expect(pieces).toBeLessThan(LIMITS.tailBytes + 100);
      expect(stored.map(({ seq }) => seq)).toEqual([...stored.map(({ seq }) => seq)].sort((a, b) => a - b));
      const rest = stored.filter(({ seq }) => seq !== cutSeq);
      for (const { seq, sse } of rest) expect(sse).toEqual(piece(seq, all[seq - 1] ?? 0).sse);
      const lost = all.map((_, index) => index + 1).filter((seq) => !rest.some((one) => one.seq === seq));
      expect(lost.at(-1) ?? 0).toBe(cutSeq);
      expect(lost.every((seq, at) => at === 0 || seq === (lost[at - 1] ?? 0) + 1)).toBe(true);
      if (cutSeq === 0) return;
      const marker = new TextDecoder().decode(stored.find(({ seq }) => seq === cutSeq)?.sse);
      const cutBytes = lost.reduce((sum, seq) => sum + (all[seq - 1] ?? 0), 0);
      expect(marker).toContain(`[svc: ${cutBytes} bytes of the stream cut here`);
    }),
  );
});

test('a view of the output keeps its bytes, whatever is written later', () => {
  const output = new KeptOutput<OutputPiece>(LIMITS);
  for (let seq = 1; seq <= 40; seq += 1) output.add(piece(seq, 70));
  const { pieces } = output;
  for (let seq = 41; seq <= 100; seq += 1) output.add(piece(seq, 90));
  for (const { seq, sse } of pieces) expect(sse).toEqual(piece(seq, 70).sse);
  expect(pieces.length).toBeGreaterThan(3);
});

test('output that is not stored at once is copied, even when it exceeds the limit of the buffer', () => {
  const output = new KeptOutput<OutputPiece>(LIMITS);
  const pieces = [piece(1, 950), piece(2, 100), piece(3, 3 * LIMITS.tailBytes)];
  const isToStore = pieces.map((one) => output.add(one));
  for (const { sse } of pieces) sse.fill(255);
  expect(isToStore).toEqual([true, false, false]);
  expect(output.pieces).toEqual([piece(3, 3 * LIMITS.tailBytes)]);
});

test('output that an earlier hub dropped is only known to be missing', () => {
  const output = new KeptOutput<OutputPiece>(LIMITS, 950);
  output.skipTo(40);
  expect(output.add(piece(40, 10))).toBe(false);
  const [marker, tail] = output.end();
  expect([marker?.seq, tail?.seq]).toEqual([39, 40]);
  expect(new TextDecoder().decode(marker?.sse)).toContain('a part of the stream cut here');
});
