import fc from 'fast-check';

/** A text with placeholders `{{a}}`, `{{b}}`, `{{c}}`, and the words that it prints, given their values. */
export interface PrintingText {
  readonly source: string;
  readonly words: readonly Word[];
}

/** The parts of one word: fixed text, and the values of `a`, `b`, `c`. */
export type Word = readonly (string | { readonly value: string })[];

interface WordSource {
  readonly source: string;
  readonly word: Word;
}

export const NAMES = ['a', 'b', 'c'] as const;
const name = fc.constantFrom(...NAMES);

/** Pieces of a word that stand side by side; each is closed in itself. */
const piece: fc.Arbitrary<WordSource> = fc.oneof(
  { weight: 4, arbitrary: name.map((value) => ({ source: `{{${value}}}`, word: [{ value }] })) },
  { weight: 3, arbitrary: name.map((value) => ({ source: `"{{${value}}}"`, word: [{ value }] })) },
  { weight: 3, arbitrary: name.map((value) => ({ source: `'{{${value}}}'`, word: [{ value }] })) },
  name.map((value) => ({ source: `"x {{${value}}}'y"`, word: ['x ', { value }, "'y"] })),
  name.map((value) => ({ source: `'$(x) {{${value}}}"\\'`, word: ['$(x) ', { value }, '"\\'] })),
  name.map((value) => ({ source: `"\\$\\\`{{${value}}}\\\\"`, word: ['$`', { value }, '\\'] })),
  name.map((value) => ({ source: `"$(printf "%s" "}")\${U-u}{{${value}}}$"`, word: ['}u', { value }, '$'] })),
  fc.constantFrom<WordSource>(
    { source: 'w', word: ['w'] },
    { source: "''", word: [''] },
    { source: '""', word: [''] },
    { source: '\\"', word: ['"'] },
    { source: "\\'", word: ["'"] },
    { source: '\\\\ ', word: ['\\'] },
    { source: '\\$w', word: ['$w'] },
    { source: '=', word: ['='] },
    { source: '}', word: ['}'] },
    { source: '{', word: ['{'] },
    { source: '"#"', word: ['#'] },
    { source: "'a\nb'", word: ['a\nb'] },
    { source: '"a\\\nb"', word: ['ab'] },
    { source: '${U:-d}', word: ['d'] },
    { source: '$((1+(2)))', word: ['3'] },
    { source: '"$(( 2 * (3 + 1) ))"', word: ['8'] },
    { source: '$(printf x)', word: ['x'] },
    { source: '"$(if :; then printf y; fi)"', word: ['y'] },
    { source: '"$(printf z | cat)"', word: ['z'] },
  ),
);

/** A whole word: what ends in a blank would begin another one. */
const word: fc.Arbitrary<WordSource> = fc
  .array(piece, { minLength: 1, maxLength: 4 })
  .map((pieces) => pieces.filter(({ source }) => !source.endsWith(' ')))
  .filter((pieces) => pieces.length > 0)
  .map((pieces) => ({
    source: pieces.map(({ source }) => source).join(''),
    word: pieces.flatMap((each) => each.word),
  }));

const words = fc.array(word, { minLength: 1, maxLength: 4 });
const blank = fc.constantFrom(' ', '  ', '\t', ' \\\n', ' \\\n ');

/** A command that prints each of its words; every form of it is plain data to the shell. */
const printing: fc.Arbitrary<PrintingText> = fc
  .tuple(words, blank, fc.integer({ min: 0, max: 3 }))
  .map(([list, gap, form]) => {
    const sources = list.map(({ source }) => source).join(gap);
    const all = list.map((each) => each.word);
    const [first] = list;
    const print = `printf${gap}'%s\\0'${gap}`;
    switch (form) {
      case 0:
        return { source: `for w in ${sources}; do ${print}"$w"; done`, words: all };
      case 1:
        return { source: `v=${first?.source}; ${print}"$v"`, words: [first?.word ?? []] };
      case 2:
        return { source: `sh -c 'printf "%s\\0" "$@"' sh${gap}${sources}`, words: all };
      default:
        return { source: `${print}${sources}`, words: all };
    }
  });

const join = (a: PrintingText, b: PrintingText, source: string): PrintingText => ({
  source,
  words: [...a.words, ...b.words],
});

/** Commands inside commands, in every compound beside which values may stand. */
export const printingText: fc.Arbitrary<PrintingText> = fc.letrec<{ text: PrintingText }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 3, arbitrary: printing },
    fc
      .tuple(tie('text'), tie('text'), fc.constantFrom('; ', '\n', ' && ', ' # it\'s {{a}} "\n', '\n\n'))
      .map(([a, b, joint]) => join(a, b, `${a.source}${joint}${b.source}`)),
    fc.tuple(tie('text'), fc.integer({ min: 0, max: 11 })).map(([{ source, words: printed }, form]) => ({
      source: surround(source, form),
      words: printed,
    })),
  ),
})).text;

function surround(source: string, form: number): string {
  const forms = [
    `if :; then ${source}; fi`,
    `if false; then exit 9; else\n${source}\nfi`,
    `if false; then :; elif :; then ${source}; fi`,
    `while :; do ${source}; break; done`,
    `until false; do ${source}\nbreak; done`,
    `( ${source} )`,
    `{ ${source}; }`,
    `{ ${source}\n} | cat`,
    `! { ${source}; false; }`,
    `false || { ${source}; } 2>/dev/null`,
    `cat >/dev/null <<'EOF'\n$(x) "it's\n EOF\nEOF\n${source}`,
    `{ cat >/dev/null <<'E'\n\\ ' \` $HOME\nE\n${source}\n}`,
  ];
  return forms[form] ?? source;
}
