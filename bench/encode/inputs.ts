/** The bytes that a pipe delivers at once. */
const CHUNK_BYTES = 64 * 1024;
const SOURCE_BYTES = 8 * 1024 ** 2;

/** The output of commands, each by its n-th line of about 100 bytes. */
export const INPUTS: Readonly<Record<string, (n: number) => string>> = {
  'Plain text': (n) => `line ${n} `.padEnd(99, 'abcdefghij klmnop'),
  'JSON logs': (n) => `{"n": ${n}, "message": "`.padEnd(97, 'abcdefghij klmnop').concat('"}'),
  'Lines that end in CRLF': (n) => `line ${n} `.padEnd(98, 'abcdefghij klmnop').concat('\r'),
  'Text beyond ASCII': (n) => `līne ${n} `.padEnd(98, 'abcdefghij klmnop'),
};

export function chunksOf(line: (n: number) => string): Uint8Array[] {
  let text = '';
  for (let n = 0; text.length < SOURCE_BYTES; n += 1) text += `${line(n)}\n`;
  const bytes = new TextEncoder().encode(text);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) chunks.push(bytes.slice(at, at + CHUNK_BYTES));
  return chunks;
}
