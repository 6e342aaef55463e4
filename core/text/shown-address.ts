/** Combinations of scripts that one writing system uses (UTS 39, highly restrictive). */
const WRITTEN_TOGETHER = [
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Common}\p{Script=Inherited}]*$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Bopomofo}\p{Script=Common}\p{Script=Inherited}]*$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hangul}\p{Script=Common}\p{Script=Inherited}]*$/u,
];
const LETTER = /[\p{L}\p{M}]/gu;
const ASCII = /^[\0-\x7f]*$/;
/** The scripts of these combinations. A letter of any other script counts as a script of its own. */
const SCRIPTS = [
  ...[
    'Latin',
    'Cyrillic',
    'Greek',
    'Armenian',
    'Georgian',
    'Hebrew',
    'Arabic',
    'Devanagari',
    'Bengali',
    'Tamil',
  ],
  ...['Telugu', 'Kannada', 'Malayalam', 'Gujarati', 'Gurmukhi', 'Sinhala', 'Thai', 'Lao', 'Khmer', 'Myanmar'],
  ...['Ethiopic', 'Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo', 'Tibetan', 'Mongolian', 'Cherokee'],
].map((script) => new RegExp(`^[\\p{Script=${script}}\\p{Script=Common}\\p{Script=Inherited}]*$`, 'u'));

/**
 * An e-mail address for people. A part with letters of several scripts is shown in punycode, so that no letter passes for
 * one of another script: `аdmin@example.com` with a Cyrillic `а` becomes `xn--dmin-43d@example.com` (decision 64, borders
 * of people and browsers).
 */
export function shownAddress(address: string): string {
  return address
    .split('@')
    .map((side) => side.split('.').map(shownLabel).join('.'))
    .join('@');
}

/** Replaces each e-mail address in a text, such as "the key ci of ada@example.com". */
export function withShownAddresses(text: string): string {
  return ASCII.test(text) ? text : text.replaceAll(/[^\s@<>(),;:"]+@[^\s@<>(),;:"]+/gu, shownAddress);
}

function shownLabel(label: string): string {
  return ASCII.test(label) || isOneScript(label) ? label : `xn--${punycode(label)}`;
}

function isOneScript(label: string): boolean {
  const letters = (label.match(LETTER) ?? []).join('');
  return [...SCRIPTS, ...WRITTEN_TOGETHER].some((script) => script.test(letters));
}

const BASE = 36;
const SMALLEST = 1;
const LARGEST = 26;
const SKEW = 38;
const DAMP = 700;
const FIRST_BIAS = 72;
const FIRST_BEYOND_ASCII = 128;
const DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** A label in punycode without its `xn--`. The algorithm and the names of the variables are those of RFC 3492, 6.3. */
export function punycode(label: string): string {
  const input = Array.from(label, (char) => char.codePointAt(0) ?? 0);
  const basic = input.filter((point) => point < FIRST_BEYOND_ASCII);
  let output = String.fromCodePoint(...basic) + (basic.length > 0 ? '-' : '');
  let handled = basic.length;
  let n = FIRST_BEYOND_ASCII;
  let delta = 0;
  let bias = FIRST_BIAS;
  while (handled < input.length) {
    const next = Math.min(...input.filter((point) => point >= n));
    delta += (next - n) * (handled + 1);
    n = next;
    for (const point of input) {
      if (point < n) delta += 1;
      if (point !== n) continue;
      output += variableLength(delta, bias);
      bias = adapted(delta, handled + 1, handled === basic.length);
      delta = 0;
      handled += 1;
    }
    delta += 1;
    n += 1;
  }
  return output;
}

function variableLength(delta: number, bias: number): string {
  let digits = '';
  let q = delta;
  for (let k = BASE; ; k += BASE) {
    const t = Math.min(Math.max(k - bias, SMALLEST), LARGEST);
    if (q < t) return digits + DIGITS.charAt(q);
    digits += DIGITS.charAt(t + ((q - t) % (BASE - t)));
    q = Math.floor((q - t) / (BASE - t));
  }
}

function adapted(first: number, points: number, isFirst: boolean): number {
  let delta = Math.floor(first / (isFirst ? DAMP : 2));
  delta += Math.floor(delta / points);
  let k = 0;
  for (; delta > ((BASE - SMALLEST) * LARGEST) / 2; k += BASE) delta = Math.floor(delta / (BASE - SMALLEST));
  return k + Math.floor(((BASE - SMALLEST + 1) * delta) / (delta + SKEW));
}
