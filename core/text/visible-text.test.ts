import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { visiblePieces, visibleText } from './visible-text.ts';

test('ordinary text of any script is shown unchanged', () => {
  for (const text of ['', 'main', 'a b', 'naïve', '日本語', 'שלום', 'नमस्ते', 'ภาษาไทย', '<b>&"\'', 'e\u0301'])
    expect(visibleText(text)).toBe(text);
});

test('invisible characters are named', () => {
  const named = {
    'a\nb': 'a‹\\n›b',
    '\u001b[2K': '‹\\e›[2K',
    'x\u202Egnp.exe': 'x‹U+202E›gnp.exe',
    '\u2066a\u2069': '‹U+2066›a‹U+2069›',
    'a\u200Bb': 'a‹U+200B›b',
    'a\u00A0b': 'a‹U+00A0›b',
    'a\u2028b': 'a‹U+2028›b',
    '\uFEFF': '‹U+FEFF›',
    '\u3164': '‹U+3164›',
    '\u{E0041}': '‹U+E0041›',
    '\u0000': '‹\\0›',
    'a\n\n\nb': 'a‹\\n × 3›b',
    '\u007F': '‹U+007F›',
    '\u0085': '‹U+0085›',
    '\uD800': '‹U+D800›',
  };
  for (const [text, shown] of Object.entries(named)) expect(visibleText(text)).toBe(shown);
});

test('a mark that would combine with what stands before the text is named, and so is a pile of them', () => {
  expect(visibleText('\u0338rm')).toBe('‹U+0338›rm');
  expect(visibleText(`a${'\u0301'.repeat(6)}b`)).toBe(`a${'\u0301'.repeat(4)}‹U+0301 × 2›b`);
});

test('nothing that is invisible or turns text around is ever left', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const left = visiblePieces(text)
        .map((piece) => piece.text)
        .join('');
      expect(left.replaceAll(' ', '')).not.toMatch(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u);
    }),
  );
});
