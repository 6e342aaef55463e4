import { punycode } from './punycode.ts';

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
