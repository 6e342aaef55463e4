import { describe, expect, test } from 'bun:test';
import { shownPieces } from './shown-pieces.ts';

const shown = (text: string) =>
  shownPieces(text)
    .map((piece) => (piece.kind === 'mark' ? `‹${piece.text}›` : piece.text))
    .join('');

describe('shown output', () => {
  test.each(['', 'plain', 'a\tb', 'Grüße, שלום, 你好', '✔️ done', '👩🏽‍💻 at work', 'é'])(
    'shows %j unchanged',
    (text) => {
      expect(shown(text)).toBe(text);
    },
  );

  test.each([
    ['a\u202Eb', 'a‹U+202E›b'],
    ['a\u200Bb', 'a‹U+200B›b'],
    ['\u001b]0;x', '‹\\e›]0;x'],
    ['a\u0007', 'a‹U+0007›'],
    ['a\u00a0b', 'a‹U+00A0›b'],
    ['a\ufe0fb', 'a‹U+FE0F›b'],
    ['\tx\u202E', '\tx‹U+202E›'],
  ])('marks what would hide in %j', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });
});
