// The page of the dashboard and its files as a browser loads them, from the source and from the binary.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { buildDocumentation } from '../../tools/docs/build.ts';
import { buildWeb } from '../../tools/web/build.ts';
import { postForm } from '../forms.ts';
import { runSvc } from '../program.ts';
import { type UpProgram, upProgram } from '../up-program.ts';

// The dashboard is built where it is not yet.
setDefaultTimeout(60_000);

let up: UpProgram;
beforeAll(async () => {
  await buildWeb();
  await buildDocumentation();
  up = await upProgram([{ name: 'hello', command: 'echo hi' }], { SVC_RATE_LIMITS: 'off' });
});
afterAll(() => up[Symbol.asyncDispose]());

function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(`${up.ready.hub_url}${path}`, { redirect: 'manual', headers });
}

const asOwner = (path: string) => get(path, up.session);

/** The script that the page names. */
async function scriptPath(): Promise<string> {
  const [, path = ''] = /<script[^>]+src="([^"]+)"/.exec(await (await asOwner('/dashboard')).text()) ?? [];
  return path;
}

/** Every script that can be reached from those that the page names. */
async function scriptTexts(): Promise<string[]> {
  const html = await (await asOwner('/dashboard')).text();
  const paths = [...new Set(html.match(/\/assets\/[\w-]+\.js\b/g))];
  const texts: string[] = [];
  for (const path of paths) {
    const text = await (await get(path)).text();
    texts.push(text);
    for (const [name] of text.matchAll(/[\w-]+\.js\b/g))
      if (!paths.includes(`/assets/${name}`)) paths.push(`/assets/${name}`);
  }
  return texts;
}

/** With its coding as it was sent: fetch would undo it. */
async function bytesOf(path: string, accepted: string): Promise<{ coding: string | null; bytes: Buffer }> {
  const response = await fetch(`${up.ready.hub_url}${path}`, {
    headers: { 'accept-encoding': accepted },
    decompress: false,
  });
  return {
    coding: response.headers.get('content-encoding'),
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

test('the licenses of all packages and fonts are printed, and served to the dashboard', async () => {
  const { stdout, exitCode } = await runSvc(['licenses'], { cwd: '.' });
  expect(exitCode).toBe(0);
  expect(stdout).toContain('SIL OPEN FONT LICENSE');
  expect(stdout).toMatch(/^hono \S+ \(MIT\)$/m);
  const files = (await scriptTexts()).flatMap((text) => text.match(/\/assets\/licenses-\w+\.txt/g) ?? []);
  const served = await get(files[0] ?? 'no link in the scripts');
  expect([served.status, served.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(await served.text()).toBe(stdout);
});

describe('the page', () => {
  test.each(['/dashboard', '/dashboard/', '/dashboard/team', '/dashboard/a/b/c/d/e'])(
    'is there at %s, is never cached, and may load only from its own origin',
    async (path) => {
      const response = await asOwner(path);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ]);
      expect(response.headers.get('cache-control')).toBe('no-store');
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self';");
      expect(policy).not.toMatch(/unsafe|data:|\*/);
      const html = await response.text();
      expect(html).not.toMatch(/<style|<script(?![^>]*src=)|\son\w+=|style=/);
    },
  );

  test.each([
    ['/dashboard/executions', 'ExecutionsPage'],
    ['/dashboard/executions/x', 'ExecutionPage'],
    ['/dashboard/endpoints/new', 'NewEndpointPage'],
    ['/dashboard/endpoints/deploy', 'EndpointPage'],
    ['/dashboard', undefined],
    ['/dashboard/__proto__', undefined],
    ['/dashboard/executions/x/y', undefined],
  ])('names the files of its view: %s, %p', async (path, name) => {
    const html = await (await asOwner(path)).text();
    const scripts = [...html.matchAll(/<link[^>]+href="\/assets\/([\w-]+)-[\w-]{8}\.js"/g)].map(
      ([, file]) => file,
    );
    expect(scripts.filter((file) => file?.endsWith('Page'))).toEqual(name === undefined ? [] : [name]);
    for (const [, file = ''] of html.matchAll(/(?:href|src)="([^"]+)"/g))
      expect([file, (await get(file)).status]).toEqual([file, 200]);
  });

  test('is for those who have signed in; the others are led there, and back', async () => {
    const shown = await get('/dashboard/executions/x');
    expect([shown.status, shown.headers.get('location')]).toEqual([
      303,
      '/login?to=%2Fdashboard%2Fexecutions%2Fx',
    ]);
    expect((await get('/')).headers.get('location')).toBe('/login');
    expect((await asOwner('/')).headers.get('location')).toBe('/dashboard');
  });
});

describe('a file', () => {
  test('is cached for ever, and compressed for clients that accept it', async () => {
    const path = await scriptPath();
    const plain = await bytesOf(path, 'identity');
    const [gzip, brotli] = [await bytesOf(path, 'gzip'), await bytesOf(path, 'gzip, deflate, br')];
    expect([plain.coding, gzip.coding, brotli.coding]).toEqual([null, 'gzip', 'br']);
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
    expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true);
    expect((await bytesOf(path, 'br;q=0, gzip;q=0.5')).coding).toBe('gzip');
    const { headers } = await get(path);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect([headers.get('vary'), headers.get('x-content-type-options')]).toEqual([
      'Accept-Encoding',
      'nosniff',
    ]);
  });

  test.each([
    '/assets/nothing.js',
    '/assets/..%2findex.html',
    '/assets/index.html',
    '/assets/',
    '/assets/__proto__',
  ])('that does not exist is 404: %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});

describe('the sign-in', () => {
  const send = (fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${up.ready.hub_url}/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: up.ready.hub_url, ...headers },
      body: new URLSearchParams(fields),
    });
  const newestLink = async () => {
    const headers = { authorization: `Bearer ${up.ready.access_token}` };
    const { items } = (await (await get('/outbox', headers)).json()) as { items: { text: string }[] };
    return /http\S+/.exec(items[0]?.text ?? '')?.[0] ?? '';
  };
  const landing = async (to: string) => {
    const sent = await send({ email: 'ada@example.com', to });
    expect(sent.status).toBe(202);
    const cookie = sent.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const confirmed = await postForm(await newestLink(), { cookie });
    return confirmed.headers.get('location');
  };

  test.each([
    ['/dashboard/executions/x', '/dashboard/executions/x'],
    ['/dashboard', '/dashboard'],
    ['', '/dashboard'],
    ['//evil.example/dashboard', '/dashboard'],
    ['/dashboard/../join/x', '/dashboard'],
    ['/dashboard@evil.example', '/dashboard'],
    ['https://evil.example/dashboard', '/dashboard'],
    ['/dashboard/x\r\nSet-Cookie: a=b', '/dashboard'],
  ])('that began at %j ends at %p', async (to, path) => {
    expect(await landing(to)).toBe(path);
  });

  test('shows what was asked for as text, and a form of another site begins nothing', async () => {
    const page = await (await get(`/login?to=${encodeURIComponent('"><script>alert(1)</script>')}`)).text();
    expect(page).toContain('value="&quot;&gt;&lt;script&gt;');
    expect((await send({ email: 'ada@example.com' }, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await send({ email: 'nobody' })).status).toBe(400);
  });
});

describe('the documentation', () => {
  test('is where the sign-in page leads people who do not know svc', async () => {
    expect(await (await get('/login')).text()).toContain('<a href="/docs">What svc is and how to use it</a>');
  });

  test('is served to everyone, under the policy of the dashboard', async () => {
    const first = await get('/docs');
    expect([first.status, first.headers.get('location')]).toEqual([303, '/docs/index.html']);
    const page = await get('/docs/files.html');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    expect(await page.text()).toContain('<h1 id="files">Files</h1>');
    const list = await get('/llms.txt');
    expect(list.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const [, path = ''] = /\]\((\/docs\/[\w-]+\.md)\)/.exec(await list.text()) ?? [];
    const markdown = await get(path);
    expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(await markdown.text()).toStartWith('# ');
  });

  test('is the same for a client that reads nothing compressed', async () => {
    const plain = await bytesOf('/docs/search.js', 'identity');
    const packed = await bytesOf('/docs/search.js', 'gzip');
    expect([plain.coding, packed.coding]).toEqual([null, 'gzip']);
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
  });

  test('has no other page, and none outside of it', async () => {
    for (const file of ['nothing.html', '..%2fllms.txt', 'constructor'])
      expect([file, (await get(`/docs/${file}`)).status]).toEqual([file, 404]);
  });
});
