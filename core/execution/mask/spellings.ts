/** Shorter lines of a secret occur too often in other output to be masked by themselves. */
const LINE_BYTES_AT_LEAST = 8;
/** Shorter texts of certain base64 characters (at offsets 1 and 2) and of hexadecimal digits occur by chance. */
const ENCODED_BYTES_AT_LEAST = 4;

/**
 * The spellings of a value in output (decision 59, the agent's token stays with the agent): the value, and each line of a
 * value with several lines, plain and in base64, hexadecimal digits, URLs, JSON and shell words.
 */
export function spellings(value: string): string[] {
  const lines = value.split(/\r\n|\n|\r/);
  const long = lines.filter((line) => new TextEncoder().encode(line).length >= LINE_BYTES_AT_LEAST);
  const texts = lines.length === 1 ? [value] : [value, ...long];
  return [...new Set(texts.flatMap(spellingsOf))].filter((text) => text !== '');
}

function spellingsOf(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  const isLong = bytes.length >= ENCODED_BYTES_AT_LEAST;
  const base64 = isLong ? [0, 1, 2].flatMap((offset) => base64At(bytes, offset)) : wholeBase64(bytes);
  const inOtherAlphabet = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [
    value,
    ...base64,
    ...inOtherAlphabet,
    ...(isLong ? [bytes.toHex(), bytes.toHex().toUpperCase()] : []),
    ...inUrls(value.toWellFormed()),
    ...inJson(value),
    ...inShell(value),
  ];
}

function wholeBase64(bytes: Uint8Array): string[] {
  const text = bytes.toBase64();
  return [text, unpadded(text)];
}

/**
 * The base64 characters that only the value decides when `offset` bytes (modulo 3) stand before it: with more bytes behind
 * the value, and with the end of the text behind it.
 */
function base64At(bytes: Uint8Array, offset: number): string[] {
  const shifted = new Uint8Array(offset + bytes.length);
  shifted.set(bytes, offset);
  const sure = Math.floor((shifted.length * 8) / 6);
  const text = shifted.toBase64();
  const from = Math.ceil((offset * 8) / 6);
  return [text.slice(from, sure), unpadded(text).slice(from), text.slice(from)];
}

function unpadded(base64: string): string {
  return base64.replace(/=+$/, '');
}

/**
 * The spellings in URLs by the usual functions of common languages: percent signs in both cases, and spaces in both ways.
 */
function inUrls(value: string): string[] {
  const component = encodeURIComponent(value);
  const strict = component.replace(/[!'()*]/g, percent);
  const texts = [
    component,
    strict,
    strict.replaceAll('%2A', '*').replaceAll('~', '%7E'),
    strict.replaceAll('%2F', '/'),
    component.replaceAll('%2F', '/'),
    encodeURI(value),
  ];
  return texts.flatMap(inBothCases).flatMap((text) => [text, text.replaceAll('%20', '+')]);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function inBothCases(text: string): string[] {
  return [text, text.replace(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase())];
}

/** Spellings in JSON without the quotes. Encoders differ in escaping slashes, HTML characters and letters beyond ASCII. */
function inJson(value: string): string[] {
  const text = JSON.stringify(value).slice(1, -1);
  const ascii = text.replace(/[\u007f-\uffff]/g, unicodeEscape);
  const forHtml = (it: string) => it.replace(/[<>&'\u2028\u2029]/g, unicodeEscape);
  const texts = [
    text,
    ascii,
    forHtml(text),
    forHtml(ascii),
    text.replace(/[<>&\u2028\u2029]/g, unicodeEscape),
  ];
  return texts.flatMap((it) => {
    const upper = it.replace(/\\u[0-9a-f]{4}/g, (escaped) => `\\u${escaped.slice(2).toUpperCase()}`);
    return [it, upper, it.replaceAll('/', '\\/'), upper.replaceAll('/', '\\/')];
  });
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const SPECIAL_IN_BASH = /[ \t!"$&'()*,;<>?[\\\]^`{|}]|^[#~]/g;
const SPECIAL_IN_ANY_SHELL = /[^\w@%+:,./\u0080-\uffff-]/g;
const ANSI_C_NAMES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\u001b': '\\E',
  "'": "\\'",
  '\\': '\\\\',
};

/**
 * Spellings in shell words without the outer quotes: two ways inside single quotes, inside double quotes, with backslashes,
 * and in `$'…'`.
 */
function inShell(value: string): string[] {
  return [
    value.replaceAll("'", `'\\''`),
    value.replaceAll("'", `'"'"'`),
    value.replace(/["$`\\]/g, '\\$&'),
    value.replace(SPECIAL_IN_BASH, '\\$&'),
    value.replace(SPECIAL_IN_ANY_SHELL, '\\$&'),
    value.replace(/[\u0007-\r\u001b'\\]/g, (character) => ANSI_C_NAMES[character] ?? character),
  ];
}
