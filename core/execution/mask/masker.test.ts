import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { formToken, TOKEN_PREFIXES, type TokenKind } from '../../token/token.ts';
import { Masker } from './masker.ts';
import { spellings } from './spellings.ts';

function masked(values: readonly string[], chunks: readonly Uint8Array<ArrayBuffer>[]): string {
  const masker = new Masker(values);
  const parts = [...chunks.map((chunk) => masker.push(chunk.slice())), masker.end()];
  return Buffer.concat(parts).toString('latin1');
}

/** The rule itself, on whole text: all bytes of all occurrences, and those that overlap are one. */
function maskedNaively(values: readonly string[], text: string): string {
  const patterns = values
    .filter((value) => value !== '')
    .flatMap(spellings)
    .map((it) => Buffer.from(it).toString('latin1'));
  const longestAt = (at: number) =>
    Math.max(0, ...patterns.filter((it) => text.startsWith(it, at)).map((it) => it.length));
  let out = '';
  for (let at = 0; at < text.length; ) {
    let end = at + longestAt(at);
    for (let inner = at + 1; inner < end; inner += 1) end = Math.max(end, inner + longestAt(inner));
    out += end === at ? text[at] : '***';
    at = Math.max(end, at + 1);
  }
  return out;
}

function cut(bytes: Uint8Array<ArrayBuffer>, cuts: readonly number[]): Uint8Array<ArrayBuffer>[] {
  const places = [0, ...cuts.map((it) => it % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.slice(places[index], end));
}

const short = fc.string({ unit: fc.constantFrom('a', 'b', 'ü', '"', '%', ' '), maxLength: 6 });

test('masks the same bytes however the output is cut into chunks', () => {
  fc.assert(
    fc.property(
      fc.array(short, { maxLength: 3 }),
      fc.array(fc.oneof(short, fc.nat({ max: 2 })), { maxLength: 12 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      (values, parts, cuts) => {
        const text = parts.map((it) => (typeof it === 'number' ? (values[it] ?? '-') : it)).join('');
        const bytes = new TextEncoder().encode(text);
        const expected = maskedNaively(values, Buffer.from(bytes).toString('latin1'));
        expect(masked(values, cut(bytes, cuts))).toBe(expected);
      },
    ),
    { numRuns: 5_000 },
  );
});

test('masks a secret in its base64, URL and JSON spellings', () => {
  const secret = 'p@ss w"rd/ü?>';
  for (const spelling of [
    secret,
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
    encodeURIComponent(secret),
    new URLSearchParams({ a: secret }).toString().slice(2).replaceAll('%22', '%22'),
    JSON.stringify(secret).slice(1, -1),
  ]) {
    expect(masked([secret], [new TextEncoder().encode(`<${spelling}>`)])).toBe('<***>');
  }
});

test('holds back only what may become a secret', () => {
  const masker = new Masker(['hunter2']);
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
  const bytes = (it: string) => new TextEncoder().encode(it);
  expect(text(masker.push(bytes('a line\n')))).toBe('a line\n');
  expect(text(masker.push(bytes('it is hunt')))).toBe('it is ');
  expect(text(masker.push(bytes('er')))).toBe('');
  expect(text(masker.push(bytes('!')))).toBe('hunter!');
  expect(text(masker.push(bytes('hunter2')))).toBe('***');
  expect(text(masker.push(bytes('hunter')))).toBe('');
  expect(text(masker.end())).toBe('hunter');
});

test('passes output through untouched when there is nothing to mask', () => {
  const chunk = new TextEncoder().encode('as it was before');
  expect(new Masker(['']).push(chunk)).toBe(chunk);
});

const bytesOf = (text: string) => new TextEncoder().encode(text);
const whole = (values: readonly string[], text: string) => masked(values, [bytesOf(text)]);
/** Each byte in a chunk of its own. */
const bytewise = (values: readonly string[], text: string) =>
  masked(
    values,
    [...bytesOf(text)].map((byte) => new Uint8Array([byte])),
  );

test('masks base64 of both alphabets wherever in it the secret begins', () => {
  const secret = 'correct?horse>battery~staple';
  for (const before of ['', 'a', 'ab', 'abc', 'user:', 'user:x'])
    for (const behind of ['', '!', '!!', '!!!'])
      for (const alphabet of ['base64', 'base64url'] as const) {
        const text = Buffer.from(`${before}${secret}${behind}`).toString(alphabet);
        const out = whole([secret], text);
        expect(out).toContain('***');
        // The rest decodes to the surroundings, and to two characters of the secret in part at most.
        expect(out.replace('***', '').length).toBeLessThanOrEqual(
          Math.ceil(((before + behind).length * 4) / 3) + 4,
        );
        expect(bytewise([secret], text)).toBe(out);
      }
});

test.each([
  ['hexadecimal digits', (it: string) => Buffer.from(it).toString('hex')],
  ['upper-case hexadecimal digits', (it: string) => Buffer.from(it).toString('hex').toUpperCase()],
  ['a URL', encodeURIComponent],
  ['a URL in lower case', (it: string) => encodeURIComponent(it).replace(/%../g, (x) => x.toLowerCase())],
  ['a form', (it: string) => new URLSearchParams({ a: it }).toString().slice(2)],
  ['a URL with slashes', (it: string) => encodeURIComponent(it).replaceAll('%2F', '/')],
  ['JSON', (it: string) => JSON.stringify(it).slice(1, -1)],
  [
    'JSON of ASCII only',
    (it: string) =>
      JSON.stringify(it)
        .slice(1, -1)
        .replace(/[\u007f-\uffff]/g, (x) => `\\u${x.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ],
  ['JSON with escaped slashes', (it: string) => JSON.stringify(it).slice(1, -1).replaceAll('/', '\\/')],
  ['single quotes', (it: string) => it.replaceAll("'", `'\\''`)],
  ['single quotes, as Python and dash close them', (it: string) => it.replaceAll("'", `'"'"'`)],
  ['double quotes', (it: string) => it.replace(/["$`\\]/g, '\\$&')],
])('masks a secret in %s', (_, spell) => {
  for (const secret of ['p@ss\'w"rd/ü?>$x', "it's a $ecret/`id`\\n", 'plainword', '~/a b&c=d#e!f*(g)']) {
    expect(whole([secret], `<${spell(secret)}>`)).toBe('<***>');
    expect(bytewise([secret], `<${spell(secret)}>`)).toBe('<***>');
  }
});

test('masks what bash makes of a secret with printf %q, ${x@Q} and set -x', () => {
  for (const secret of [
    "it's a $ecret; `id` & {a,b} [c] *?!",
    '#first',
    '~home',
    'two\nlines\'of "it"',
    'a\\b',
  ]) {
    const script = 'printf "%q\\n" "$SECRET"; printf "%s\\n" "${SECRET@Q}"; set -x; : "$SECRET"';
    const { stdout, stderr } = Bun.spawnSync(['bash', '-c', script], { env: { SECRET: secret } });
    const out = whole([secret], `${stdout.toString()}${stderr.toString()}`);
    expect(out.split('***').length - 1).toBe(3);
    // Nothing but quotes, the mask and the command is left.
    expect(out.replaceAll('***', '').replace(/[$'"\n+: ]/g, '')).toBe('');
  }
});

test('masks each line of a secret of several lines, from 8 bytes on', () => {
  const secret = 'first line\r\nshort\nsecond line\n';
  expect(whole([secret], 'a first line b, short, second line')).toBe('a *** b, short, ***');
  expect(whole([secret], Buffer.from('second line').toString('hex'))).toBe('***');
  expect(whole(['12345678\n1234567'], '12345678 1234567')).toBe('*** 1234567');
});

test('masks all bytes of occurrences that overlap, and each of those that only touch', () => {
  expect(whole(['abcd', 'cdef'], 'xabcdefx')).toBe('x***x');
  expect(whole(['b', 'abc'], 'xabcx')).toBe('x***x');
  expect(whole(['hunter22'], 'hunter22hunter22')).toBe('******');
  expect(bytewise(['abcd', 'cdef'], 'xabcdefx')).toBe('x***x');
});

const token = (kind: TokenKind, fill = 7) => formToken(kind, new Uint8Array(32).fill(fill));

test('masks tokens of every kind, also without known secrets', () => {
  for (const kind of Object.keys(TOKEN_PREFIXES) as TokenKind[]) {
    const text = `X-API-Key: ${token(kind)}\n"${token(kind, 0)}",${token(kind, 255)}${token(kind)}`;
    expect(whole([], text)).toBe('X-API-Key: ***\n"***",******');
    expect(bytewise([], text)).toBe('X-API-Key: ***\n"***",******');
    expect(bytewise(['another secret'], text)).toBe('X-API-Key: ***\n"***",******');
  }
});

test('masks a token when the missing part could be guessed', () => {
  const cutOff = token('api_key').slice(0, -6);
  expect(whole([], `${cutOff} and`)).toBe('*** and');
  expect(bytewise([], cutOff)).toBe('***');
});

test.each([
  'svc_sk_',
  'svc_sk_ alone, svc_at_… and svc_pat_1yJ8…k3Zu',
  `svc_sk_${'a'.repeat(31)}`,
  `svc_xx_${'a'.repeat(49)}`,
  `SVC_SK_${'a'.repeat(49)}`,
  'svc_svc_sk_svc_',
  'svc_agents_connected 1',
  'the end is s',
])('leaves %s unchanged', (text) => {
  const bytes = Buffer.from(text).toString('latin1');
  expect(whole([], text)).toBe(bytes);
  expect(bytewise([], text)).toBe(bytes);
});

test('tokens and secrets that overlap leave nothing of each other', () => {
  const one = token('agent_token');
  const url = `https://${one}@example.com/path`;
  expect(whole([url], `<${url}> <${one}>`)).toBe('<***> <***>');
  expect(bytewise([url], `<${url}> <${one}>`)).toBe('<***> <***>');
  expect(bytewise([one.slice(0, 12)], `<${one}>`)).toBe('<***>');
  expect(bytewise([`${one.slice(-8)} and more`], `<${one} and more> ${one}`)).toBe('<***> ***');
  const joint = `svc_at_${'x'.repeat(40)}${one}`;
  expect(bytewise([], `<${joint}>`)).toBe('<***>');
});

test('tokens are found however the output is cut into chunks', () => {
  const part = fc.oneof(
    fc.constantFrom('svc_', 'svc_at_', '_', 's', token('api_key'), token('access_token')),
    short,
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 10 }), fc.array(fc.nat(), { maxLength: 8 }), (parts, cuts) => {
      const text = parts.join('');
      // A look-ahead also finds a secret that begins inside another one.
      const found = [...text.matchAll(/(?=(svc_(?:sk|at|rt|pat)_[0-9A-Za-z]{32,49}))/g)];
      const overlap = found.some(
        (it, index) => (found[index + 1]?.index ?? Infinity) < it.index + (it[1] ?? '').length,
      );
      fc.pre(!overlap);
      const expected = text.replace(/svc_(?:sk|at|rt|pat)_[0-9A-Za-z]{32,49}/g, '***');
      expect(masked([], cut(bytesOf(text), cuts))).toBe(Buffer.from(expected).toString('latin1'));
    }),
    { numRuns: 5_000 },
  );
});

test('tokens are found among many underscores, at every distance', () => {
  for (const filler of ['_', 'svc_', 'a_', '_kapsrtvc'])
    for (let length = 0; length < 40; length += 1) {
      const before = filler.repeat(40).slice(length);
      expect(whole([], `${before} ${token('access_token')}.`)).toBe(`${before} ***.`);
    }
});
