import naughtyStrings from 'big-list-of-naughty-strings';
import fc from 'fast-check';

/** Code that runs wherever one of the hostile values is taken for code: it leaves a file in the working directory. */
export const CANARY = 'canary';

const CODE = [
  `$(touch ${CANARY})`,
  `\`touch ${CANARY}\``,
  `;touch ${CANARY};`,
  `|touch ${CANARY}|`,
  `&&touch ${CANARY}&`,
  `\ntouch ${CANARY}\n`,
  `>${CANARY}`,
  `a[$(touch ${CANARY})]`,
  `() { :; }; touch ${CANARY}`,
  `'; touch ${CANARY} #`,
  `"; touch ${CANARY} #`,
  `$(($(touch ${CANARY})))`,
  `<(touch ${CANARY})`,
  `\${IFS:-$(touch ${CANARY})}`,
  `)touch ${CANARY};(`,
  `]]; touch ${CANARY}; [[`,
  `EOF\ntouch ${CANARY}\n`,
  `touch ${CANARY}`,
  `touch ${CANARY}|`,
  `|touch ${CANARY}`,
  `!touch ${CANARY}`,
  `1e touch ${CANARY}`,
  `$(shell touch ${CANARY})`,
  `V=$(shell touch ${CANARY})`,
  `BEGIN { system("touch ${CANARY}") }`,
  `system("touch ${CANARY}")`,
  `__import__("os").system("touch ${CANARY}")`,
  `ext::touch ${CANARY}`,
  `exec=touch ${CANARY}`,
  `--checkpoint-action=exec=touch ${CANARY}`,
];

const PIECES = [
  ...[
    "'",
    '"',
    '`',
    '$',
    '\\',
    '\\\n',
    '\n',
    ' ',
    '\t',
    '\r',
    '#',
    '!',
    '-',
    '--',
    '-e',
    '-rf',
    '%s',
    '%n',
    '=',
    '(',
    ')',
  ],
  ...[
    '<',
    '>',
    '|',
    '&',
    ';',
    '*',
    '?',
    '[',
    ']',
    '[a-z]',
    '~',
    '~root',
    '{a,b}',
    '{',
    '}',
    ',',
    '$HOME',
    '${IFS}',
    '$@',
    '$*',
  ],
  ...[
    '{{a1}}',
    '{{x}}',
    '$svc:X',
    '"${SVC_ARG_A1}"',
    'done',
    'esac',
    'fi',
    'EOF',
    'a',
    'b c',
    '0',
    '\u001b[31m',
    '\u0001',
  ],
  ...[
    '\u0007',
    '\u007f',
    '\u0081',
    '\u0082',
    '\u0088',
    '\u00a0',
    '\u0085',
    '\u2028',
    '\u200f',
    '\ufeff',
    '\ufffd',
    'é',
    '漢字',
  ],
  ...['\u{1f600}', '\u{10ffff}', '\u0301'],
];

const isPassable = (value: string) => !value.includes('\0') && value.isWellFormed();

/** The published list, less what no program can be given. */
export const NAUGHTY: readonly string[] = naughtyStrings.filter(isPassable);

/** Values that run when they are taken for code, in one language or another. */
export const runningValue: fc.Arbitrary<string> = fc.constantFrom(...CODE);

/** Values that try to be code, options, patterns, or merely strange. */
export const hostileValue: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(fc.constantFrom(...CODE, ...PIECES), { maxLength: 8 }).map((all) => all.join('')),
  },
  { weight: 2, arbitrary: fc.constantFrom(...CODE) },
  { weight: 1, arbitrary: fc.constantFrom(...NAUGHTY) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }).filter(isPassable) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }).filter(isPassable) },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 1, max: 1000 })
      .map((count) => `'"$(touch ${CANARY})`.repeat(count).slice(0, 1000)),
  },
);
