// Files that commands leave, from the agent to the reader: decision 72, artifacts.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { objectStore } from '../object-store.ts';
import { runSvc } from '../program.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const BUILD = [
  'cd "$SVC_OUTPUT_DIR" && mkdir -p dist && printf hello > "dist/app (1).html" && printf no > other.log',
  'ln -s /etc/passwd dist/link.txt && head -c 9000000 /dev/urandom > dist/big.bin && sha256sum dist/big.bin',
];

let world: HubWorld;
let agent: RealAgent;
beforeAll(async () => {
  world = await hubWorld();
  agent = await realAgent(world, [
    { name: 'build', command: BUILD.join(' && '), artifacts: ['dist/**'] },
    { name: 'nothing', command: 'ls -A "$SVC_OUTPUT_DIR"', artifacts: ['**'] },
    {
      name: 'large',
      command: 'cd "$SVC_OUTPUT_DIR" && truncate -s 2G huge && printf a > small',
      artifacts: ['**'],
    },
  ]);
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

interface Item {
  readonly name: string;
  readonly state: string;
  readonly url?: string;
}

async function run(slug: string): Promise<{ id: string; output: string; items: Item[] }> {
  const called = await world.call(slug);
  const { output, execution_id: id } = (await called.json()) as { output: string; execution_id: string };
  const { items } = (await (await world.manage(`/executions/${id}/artifacts`)).json()) as { items: Item[] };
  return { id, output, items };
}

test('what a command leaves is there when its caller hears of the end', async () => {
  const { id, output, items } = await run('build');
  const sha256 = output.slice(0, 64);
  expect(items).toMatchObject([
    { name: 'dist/app (1).html', size: 5, state: 'stored', type: 'text/html;charset=utf-8' },
    { name: 'dist/big.bin', size: 9_000_000, state: 'stored', sha256 },
    { name: 'dist/link.txt', size: 0, state: 'missing', reason: 'it is a symbolic link' },
  ]);
  const [page, large, link] = items.map(({ url = '' }) => url.slice(world.hub.baseUrl.length));
  expect(link).toBe('');
  const read = (init?: RequestInit) => world.manage(page ?? '', init);
  const whole = await read();
  expect(whole.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''app%20%281%29.html");
  expect(whole.headers.get('content-security-policy')).toContain('sandbox');
  expect(await whole.text()).toBe('hello');
  const part = await read({ headers: { range: 'bytes=1-3' } });
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
    206,
    'bytes 1-3/5',
    'ell',
  ]);
  const last = await read({ headers: { range: 'bytes=-2' } });
  expect([last.status, await last.text()]).toEqual([206, 'lo']);
  expect((await read({ headers: { range: 'bytes=5-' } })).status).toBe(416);
  const etag = whole.headers.get('etag') ?? '';
  expect((await read({ headers: { 'if-none-match': etag } })).status).toBe(304);
  const other = await read({ headers: { range: 'bytes=1-3', 'if-range': '"other"' } });
  expect([other.status, await other.text()]).toEqual([200, 'hello']);
  const head = await world.manage(large ?? '', { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '9000000']);
  const bytes = await (await world.manage(large ?? '')).bytes();
  expect(new Bun.CryptoHasher('sha256').update(bytes).digest('hex')).toBe(sha256);
  expect((await world.manage(`/executions/${id}/artifacts/dist/other.log`)).status).toBe(404);
  expect((await fetch(`${world.hub.hubUrl}${page}`)).status).toBe(401);
});

test('all files come as one archive, and none where bytes are missing', async () => {
  await using folder = await temporaryFolder();
  const { id, output } = await run('build');
  const path = `/executions/${id}/artifacts.zip`;
  const answer = await world.manage(path);
  expect([answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([
    'application/zip',
    `attachment; filename*=UTF-8''${id}.zip`,
  ]);
  await Bun.write(join(folder.path, 'all.zip'), await answer.bytes());
  const python = [
    'import hashlib, zipfile',
    "z = zipfile.ZipFile('all.zip')",
    "print(z.testzip(), z.namelist(), hashlib.sha256(z.read('dist/big.bin')).hexdigest())",
  ];
  const read = Bun.spawn(['python3', '-c', python.join('\n')], { cwd: folder.path, stdout: 'pipe' });
  expect(await new Response(read.stdout).text()).toBe(
    `None ['dist/app (1).html', 'dist/big.bin'] ${output.slice(0, 64)}\n`,
  );
  expect((await fetch(`${world.hub.hubUrl}${path}`)).status).toBe(401);
  expect((await world.manage(path, { method: 'HEAD' })).headers.get('content-type')).toBe('application/zip');
  await truncate(join(world.dataDir, 'artifacts', id, '2'), 2);
  expect((await world.manage(path)).status).toBe(503);
});

test('svc artifacts lists, downloads and compares, and overwrites nothing', async () => {
  await using folder = await temporaryFolder();
  const { id, output } = await run('build');
  const svc = (...args: string[]) =>
    runSvc(['artifacts', id, ...args], {
      cwd: folder.path,
      env: { SVC_API_KEY: world.start.apiKey, SVC_BASE_URL: world.hub.hubUrl },
    });
  const listed = await svc();
  expect([listed.exitCode, listed.stdout.split('\n').length, listed.stderr]).toEqual([0, 4, '']);
  expect(listed.stdout).toContain('missing               0  dist/link.txt  it is a symbolic link\n');
  const all = await svc('--all', 'out');
  expect([all.exitCode, all.stderr]).toEqual([
    0,
    expect.stringContaining('dist/link.txt is missing: it is a symbolic link'),
  ]);
  const bytes = readFileSync(join(folder.path, 'out/dist/big.bin'));
  expect(new Bun.CryptoHasher('sha256').update(bytes).digest('hex')).toBe(output.slice(0, 64));
  expect(await svc('--all', 'out')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('out is not empty'),
  });
  expect(await svc('dist/app (1).html', '-o', 'page')).toMatchObject({ exitCode: 0 });
  expect(readFileSync(join(folder.path, 'page'), 'utf8')).toBe('hello');
  expect(await svc('dist/big.bin', '-o', 'page')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('page exists already'),
  });
  expect(readFileSync(join(folder.path, 'page'), 'utf8')).toBe('hello');
  expect(await svc('../x', '-o', 'x')).toMatchObject({ exitCode: 2 });
});

test('svc artifacts writes nothing outside of its folder, whatever a hub names', async () => {
  await using folder = await temporaryFolder();
  const id = crypto.randomUUID();
  const sha256 = new Bun.CryptoHasher('sha256').update('x').digest('hex');
  const item = { name: '../escaped', size: 1, type: 'text/plain', state: 'stored', sha256, url: '/x' };
  using hub = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => (url.endsWith('/artifacts') ? Response.json({ items: [item] }) : new Response('x')),
  });
  const ended = await runSvc(['artifacts', id, '--all', 'out'], {
    cwd: folder.path,
    env: { SVC_API_KEY: world.start.apiKey, SVC_BASE_URL: hub.url.origin },
  });
  expect([ended.exitCode, ended.stderr]).toEqual([
    2,
    expect.stringContaining('a file is not written, because'),
  ]);
  expect(existsSync(join(folder.path, 'escaped'))).toBe(false);
});

test('a file whose bytes are not here is never sent in part', async () => {
  const { id, items } = await run('build');
  const [page] = items.map(({ url = '' }) => url.slice(world.hub.baseUrl.length));
  await truncate(join(world.dataDir, 'artifacts', id, '1'), 2);
  expect((await world.manage(page ?? '')).status).toBe(503);
  const listed = await (await world.manage(`/executions/${id}/artifacts`)).json();
  const reason = 'the hub stored it, and does not have all of its bytes any more';
  expect(listed).toMatchObject({
    items: [{ state: 'missing', reason }, { state: 'stored' }, { state: 'missing' }],
  });
  expect(listed).not.toMatchObject({ items: [{ url: expect.anything() }] });
});

test('an agent that could not send its list says so with the end, and what is listed stays', async () => {
  await using other = await world.agent({ name: 'mute', endpoints: [{ name: 'mute', command: 'true' }] });
  const unsent = async (isListed: boolean) => {
    const called = world.call('mute');
    const { execution_id: id } = await other.receive('run');
    if (isListed)
      await fetch(`${world.hub.hubUrl}/agents/artifacts/${id}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await world.tokenFor('mute')}`,
          'content-type': 'application/json',
        },
        body: '{"files":[],"missing":[{"name":"a","reason":"it is gone"}]}',
      });
    const ending = { kind: 'exited', exit_code: 0, duration_ms: 1 } as const;
    const reason = 'it could not be sent: no';
    other.say({ type: 'ended', execution_id: id, last_seq: 0, ending, artifacts_unsent: reason });
    await called;
    const { items } = (await (await world.manage(`/executions/${id}/artifacts`)).json()) as { items: Item[] };
    return items;
  };
  expect(await unsent(false)).toMatchObject([
    { name: 'the output folder', state: 'missing', size: 0, reason: 'it could not be sent: no' },
  ]);
  expect((await unsent(true)).map(({ name }) => name)).toEqual(['a']);
});

test('only the token of the agent that runs an execution sends its files', async () => {
  await using other = await world.agent({ name: 'other', endpoints: [{ name: 'guarded', command: 'true' }] });
  const called = world.call('guarded');
  const { execution_id: id } = await other.receive('run');
  const send = async (agentName: string, method: string, path: string, body: string) => {
    const headers = {
      authorization: `Bearer ${await world.tokenFor(agentName)}`,
      'content-type': 'application/json',
    };
    const response = await fetch(`${world.hub.hubUrl}/agents/artifacts/${path}`, { method, headers, body });
    return response.ok ? 200 : ((await response.json()) as { readonly code: string }).code;
  };
  const steps = [
    ['POST', id, '{"files":[{"name":"a","size":1}],"missing":[]}'],
    ['PUT', `${id}/1?offset=0`, 'a'],
    ['POST', `${id}/1`, '{"sha256":"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"}'],
  ] as const;
  for (const [method, path, body] of steps)
    expect([
      path,
      await send('default', method, path, body),
      await send('other', method, path, body),
    ]).toEqual([path, 'execution_not_open', 200]);
  other.end(id, 0);
  await called;
});

test('with an object store the bytes go there, and readers get them from the hub', async () => {
  await using bucket = await objectStore();
  await using other = await hubWorld({ env: bucket.environment });
  await using _agent = await realAgent(other, [
    { name: 'build', command: BUILD.join(' && '), artifacts: ['dist/**'] },
  ]);
  const called = await other.call('build');
  const { output, execution_id: id } = (await called.json()) as { output: string; execution_id: string };
  const sha256 = output.slice(0, 64);
  const path = `/executions/${id}/artifacts`;
  expect(await (await other.manage(path)).json()).toMatchObject({
    items: [
      { name: 'dist/app (1).html', size: 5, state: 'stored' },
      { name: 'dist/big.bin', size: 9_000_000, state: 'stored', sha256 },
      { state: 'missing', reason: 'it is a symbolic link' },
    ],
  });
  expect(await bucket.keys()).toEqual([`${id}/1-kept-0`, `${id}/2-kept-0`, `${id}/2-kept-1`]);
  const page = await other.manage(`${path}/dist/app%20(1).html`);
  expect([page.headers.get('content-disposition')?.split(';')[0], await page.text()]).toEqual([
    'attachment',
    'hello',
  ]);
  const whole = await other.manage(`${path}/dist/big.bin`);
  expect(new Bun.CryptoHasher('sha256').update(await whole.bytes()).digest('hex')).toBe(sha256);
  const headers = { range: 'bytes=8388600-8388615' };
  const part = await other.manage(`${path}/dist/big.bin`, { headers });
  expect([part.status, part.headers.get('content-range'), (await part.bytes()).length]).toEqual([
    206,
    'bytes 8388600-8388615/9000000',
    16,
  ]);
});

test('a command that leaves nothing has an empty list', async () => {
  expect(await run('nothing')).toMatchObject({ output: '', items: [] });
});

test('a file for which the plan has no room is missing, and says so; the others are kept', async () => {
  await world.admin((admin) => admin.setPlan(world.start.username, 'free'));
  const { items } = await run('large');
  expect(items).toMatchObject([
    { name: 'huge', state: 'missing', reason: 'the plan free has no room for it' },
    { name: 'small', state: 'stored', size: 1 },
  ]);
});
