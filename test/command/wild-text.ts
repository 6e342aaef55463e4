import fc from 'fast-check';
import { printingText } from './printing-text.ts';
import tokenLines from './tokens.txt' with { type: 'text' };
import trapLines from './traps.txt' with { type: 'text' };

/** The entries of a list, one a line; signs stand for what a line cannot show: ⏎ newline, ⇥ tab, · blank. */
function entries(lines: string): readonly string[] {
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll('⏎', '\n').replaceAll('⇥', '\t').replaceAll('·', ' '));
}

/** The parts of shell texts. */
const TOKENS = entries(tokenLines);

/** Where shells and programs run what they are given: `@` is the place of a value. */
const TRAPS = entries(trapLines);

const HOLES = [
  ...['{{a}}', '{{a}}', '"{{a}}"', "'{{a}}'", 'x{{a}}', '"x {{a}}"', '{{a}}{{b}}', "';{{a}}'"],
  ...['$SVC_ARG_A', '"$SVC_ARG_A"', '${SVC_ARG_A}', '"x;$SVC_ARG_A"'],
];

/** Traps with values in them, some of them with an edit: what of it is accepted must be harmless. */
export const trapText: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(...TRAPS), fc.constantFrom(...HOLES), fc.array(edit(), { maxLength: 2 }))
  .map(([trap, hole, edits]) =>
    edits.reduce(
      (text, apply) => apply(text),
      trap.replaceAll('@', () => hole),
    ),
  );

/** Texts that are nearly shell: well-formed ones with a few tokens put in, taken out or doubled, and heaps of tokens. */
export const wildText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(printingText, fc.array(edit(), { minLength: 1, maxLength: 4 }))
      .map(([{ source }, edits]) => edits.reduce((text, apply) => apply(text), source)),
  },
  { weight: 2, arbitrary: heapOf(14).map((heap) => `printf '%s\\0' ${heap}`) },
  { weight: 1, arbitrary: heapOf(10) },
);

function heapOf(maxLength: number): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...TOKENS), { minLength: 2, maxLength }).map((tokens) => tokens.join(''));
}

function edit(): fc.Arbitrary<(text: string) => string> {
  return fc
    .tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 0, max: 6 }),
      fc.constantFrom('', ...TOKENS),
    )
    .map(([place, removed, token]) => (text) => {
      const at = Math.floor(place * text.length);
      return text.slice(0, at) + token + text.slice(at + removed);
    });
}
