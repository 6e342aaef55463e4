import { describe, expect, test } from 'bun:test';
import { browserRefusal } from './browser-guard.ts';

const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const OURS = 'localhost:8080';

type Outcome = 'passes' | 'forbidden' | 'invalid_argument';
type Sent = Readonly<Record<string, string>>;

function outcome(sent: Sent, allowBrowser = false): Outcome {
  const headers = new Headers(sent);
  const rules = { hostNames: new Set(['workstation', 'build.example.com']), allowBrowser };
  const refusal = browserRefusal((name) => headers.get(name), rules);
  return (refusal?.code as 'forbidden' | 'invalid_argument' | undefined) ?? 'passes';
}

describe('programs', () => {
  const table: [what: string, sent: Sent][] = [
    ['curl', { host: OURS, 'user-agent': 'curl/8.14.1' }],
    ['fetch of Node', { host: OURS, 'user-agent': 'node', 'accept-language': '*', accept: '*/*' }],
    ['one that sends no User-Agent', { host: OURS }],
    ['a name of this machine', { host: 'workstation:8080', 'user-agent': 'curl/8.14.1' }],
    ['one with Mozilla further on in its name', { host: OURS, 'user-agent': 'bot (not Mozilla/5.0)' }],
  ];
  test.each(table)('are let through: %s', (_, sent) => {
    expect(outcome(sent)).toBe('passes');
  });
});

describe('programs have to name this server as well (decision 64, borders of people and browsers)', () => {
  const table: [what: string, sent: Sent][] = [
    ['HTTP/1.0 without a Host', {}],
    ['an empty Host', { host: '' }],
    ['curl with a foreign name', { host: 'whatever.example.org', 'user-agent': 'curl/8.14.1' }],
    ['a rebound page that sends no header of a browser', { host: 'evil.example:8080' }],
  ];
  test.each(table)('%s is refused', (_, sent) => {
    expect(outcome(sent)).toBe('forbidden');
    expect(outcome(sent, true)).toBe('forbidden');
  });
});

test.each(['sec-purpose', 'purpose', 'x-purpose', 'x-moz'])('%s: a prefetch runs nothing', (name) => {
  expect(outcome({ host: OURS, [name]: 'prefetch' })).toBe('forbidden');
  expect(outcome({ host: OURS, [name]: 'Prefetch;anonymous-client-ip' })).toBe('forbidden');
  expect(outcome({ host: OURS, [name]: 'something-else' })).toBe('passes');
});

describe('every request needs one Host header with one host', () => {
  const malformed = [
    'a, b',
    'bad host',
    'a/b',
    'user@a',
    '[::1',
    '::1',
    'a:b',
    'a:123456',
    'a:',
    '[g::1]',
    'ä',
    ':80',
  ];
  test.each(malformed)('%s is refused', (host) => {
    expect(outcome({ host })).toBe('invalid_argument');
    expect(outcome({ host, 'sec-fetch-site': 'same-origin' })).toBe('invalid_argument');
  });
});

describe('requests of a browser for a page', () => {
  const own = { host: OURS, 'user-agent': CHROME };
  const table: [what: string, expected: Outcome, sent: Sent][] = [
    [
      'an address that the user typed',
      'passes',
      { ...own, 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
    ],
    [
      'fetch by our own page',
      'passes',
      { ...own, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' },
    ],
    [
      'POST by our own page',
      'passes',
      { ...own, 'sec-fetch-site': 'same-origin', origin: 'http://localhost:8080' },
    ],
    [
      'fetch by another port of this machine',
      'forbidden',
      { ...own, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
    ],
    [
      'a form of another site',
      'forbidden',
      {
        ...own,
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': 'navigate',
        origin: 'https://evil.example',
      },
    ],
    [
      'an image on another site',
      'forbidden',
      { ...own, 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' },
    ],
    ['a sandboxed frame', 'forbidden', { ...own, 'sec-fetch-site': 'cross-site', origin: 'null' }],
    [
      'a WebSocket handshake of another site',
      'forbidden',
      { ...own, upgrade: 'websocket', origin: 'https://evil.example' },
    ],
    ['an unknown value of Sec-Fetch-Site', 'forbidden', { ...own, 'sec-fetch-site': 'same-planet' }],
    ['an empty Sec-Fetch-Site', 'forbidden', { ...own, 'sec-fetch-site': '' }],
    ['two values of Sec-Fetch-Site', 'forbidden', { ...own, 'sec-fetch-site': 'same-origin, cross-site' }],
    ['a request without Sec-Fetch-Site, known by its User-Agent', 'forbidden', own],
    [
      'a request without Sec-Fetch-Site, known by its Origin',
      'forbidden',
      { host: OURS, origin: 'http://localhost:8080' },
    ],
    [
      'a request without Sec-Fetch-Site, known by Sec-Fetch-Mode',
      'forbidden',
      { host: OURS, 'sec-fetch-mode': 'no-cors' },
    ],
    [
      'a request without Sec-Fetch-Site, known by Sec-Fetch-Dest',
      'forbidden',
      { host: OURS, 'sec-fetch-dest': 'image' },
    ],
    [
      'a request without Sec-Fetch-Site, known by Sec-Fetch-User',
      'forbidden',
      { host: OURS, 'sec-fetch-user': '?1' },
    ],
    [
      'a guess at what the user is about to type',
      'forbidden',
      { ...own, 'sec-fetch-site': 'none', 'sec-purpose': 'prefetch;prerender' },
    ],
    [
      'a guess, as older browsers call it',
      'forbidden',
      { ...own, 'sec-fetch-site': 'none', purpose: 'prefetch' },
    ],
  ];
  test.each(table)('%s: %s', (_, expected, sent) => {
    expect(outcome(sent)).toBe(expected);
  });
});

describe('the name by which a page called', () => {
  const named = (host: string): Sent => ({ host, 'user-agent': CHROME, 'sec-fetch-site': 'same-origin' });
  const ours = [
    'localhost',
    'localhost:8080',
    'LOCALHOST:8080',
    '127.0.0.1',
    '127.0.0.1:8080',
    '192.168.1.20:8080',
    '[::1]:8080',
    '[fe80::1]',
    '[::ffff:10.0.0.1]:80',
    'workstation:8080',
    'Workstation',
    'build.example.com',
  ];
  test.each(ours)('%s is ours', (host) => {
    expect(outcome(named(host))).toBe('passes');
  });

  const others = [
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    'sub.localhost',
    'localhost.',
    '127.0.0.1.evil.example',
    '1.2.3',
    '0x7f000001',
    '2130706433',
    '256.1.1.1',
    'workstation.evil.example',
    '[1.2.3.4]',
    '[::1::1]',
  ];
  test.each(others)('%s is not: a page of another server may have that name (DNS rebinding)', (host) => {
    expect(outcome(named(host))).toBe('forbidden');
    expect(outcome(named(host), true)).toBe('forbidden');
  });

  test('has to be there', () => {
    expect(outcome({ 'sec-fetch-site': 'same-origin' })).toBe('forbidden');
    expect(outcome({ host: '', 'sec-fetch-site': 'same-origin' })).toBe('forbidden');
  });

  test('is in the refusal, with the option that allows it', () => {
    const headers = new Headers(named('tools.example.org:8080'));
    const refusal = browserRefusal((name) => headers.get(name), {
      hostNames: new Set(),
      allowBrowser: false,
    });
    expect(refusal?.message).toContain('--allow-host tools.example.org');
  });
});

describe('--allow-browser', () => {
  const plain = { host: '192.168.1.20:8080', 'user-agent': CHROME };

  test('is named by the refusal of a request that it would let through', () => {
    const headers = new Headers(plain);
    const refusal = browserRefusal((name) => headers.get(name), {
      hostNames: new Set(),
      allowBrowser: false,
    });
    expect(refusal?.message).toContain('--allow-browser');
  });

  const table: [what: string, expected: Outcome, sent: Sent][] = [
    ['a request without Sec-Fetch-Site', 'passes', plain],
    ['one with our own Origin', 'passes', { ...plain, origin: 'http://192.168.1.20:8080' }],
    ['one with our own Origin behind TLS', 'passes', { ...plain, origin: 'https://192.168.1.20:8080' }],
    ['one with the Origin of another site', 'forbidden', { ...plain, origin: 'http://evil.example' }],
    ['one with the Origin of another port', 'forbidden', { ...plain, origin: 'http://192.168.1.20:3000' }],
    ['one of a sandboxed frame', 'forbidden', { ...plain, origin: 'null' }],
    ['one that says that another site called', 'forbidden', { ...plain, 'sec-fetch-site': 'cross-site' }],
    ['one ahead of time', 'forbidden', { ...plain, purpose: 'prefetch' }],
  ];
  test.each(table)('%s: %s', (_, expected, sent) => {
    expect(outcome(sent, true)).toBe(expected);
  });
});

test('every combination of the headers in decisions 51 and 64 has the specified outcome', () => {
  const sites = [null, 'none', 'same-origin', 'same-site', 'cross-site', ''];
  const origins = [null, 'http://localhost:8080', 'http://evil.example', 'null'];
  const agents = [null, 'curl/8.14.1', CHROME];
  const hosts = [null, OURS, '10.0.0.7:8080', 'workstation', 'evil.example', 'a, b'];
  let combinations = 0;
  for (const site of sites)
    for (const origin of origins)
      for (const agent of agents)
        for (const host of hosts)
          for (const allowBrowser of [false, true]) {
            const sent = present({ host, origin, 'sec-fetch-site': site, 'user-agent': agent });
            const isProgram = site === null && origin === null && agent !== CHROME;
            const isOwnPage = site === 'none' || site === 'same-origin';
            const isOwnOrigin = origin === null || origin === `http://${host}`;
            const isAllowed = isOwnPage || (site === null && allowBrowser && isOwnOrigin);
            const isOurName = host === OURS || host === '10.0.0.7:8080' || host === 'workstation';
            const passes = isOurName && (isProgram || isAllowed);
            const expected = host === 'a, b' ? 'invalid_argument' : passes ? 'passes' : 'forbidden';
            expect([sent, allowBrowser, outcome(sent, allowBrowser)]).toEqual([sent, allowBrowser, expected]);
            combinations += 1;
          }
  expect(combinations).toBe(6 * 4 * 3 * 6 * 2);
});

function present(headers: Readonly<Record<string, string | null>>): Sent {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null),
  );
}
