// Files as arguments of a call, on a hub and on `svc serve`: decision 76, files of a call.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { EndpointYaml } from '../config-text.ts';
import { postForm } from '../forms.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { sessionIn } from '../people.ts';
import { runSvc } from '../program.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { serveWorld, type World } from '../world.ts';

const MIB = 1024 * 1024;
const PNG = Buffer.concat([
  Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010806000000', 'hex'),
  Buffer.from(Array.from({ length: MIB }, (_, at) => (at * 31 + (at >> 8)) & 0xff)),
]);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const FILE = { type: 'file', required: true } as const;
const endpoints = (folder: string): EndpointYaml[] => [
  {
    name: 'sum',
    command: 'printf "%s %s " {{image}} {{width}}; stat -c %a {{image}}; sha256sum < {{image}}',
    args: [
      { name: 'image', ...FILE },
      { name: 'width', type: 'integer', default: 7 },
    ],
  },
  {
    name: 'picture',
    command: `touch ${folder}/ran; wc -c {{image}}`,
    args: [{ name: 'image', ...FILE, accept: ['image/png', 'image/jpeg'], max_bytes: 2 * MIB }],
  },
  {
    name: 'pair',
    command: 'cat {{first}} {{second}}',
    args: [
      { name: 'first', ...FILE },
      { name: 'second', type: 'file' },
    ],
  },
  {
    name: 'wait',
    command: `touch ${folder}/waited; cat {{image}}`,
    args: [{ name: 'image', ...FILE }],
  },
  { name: 'plain', command: 'echo {{text}}', args: [{ name: 'text', type: 'text' }] },
  {
    name: 'slow',
    command: `touch ${folder}/slow-ran; cat {{image}}`,
    timeout: 1,
    args: [{ name: 'image', ...FILE }],
  },
];

interface Answer {
  readonly status: number;
  readonly output: string;
  readonly exit_code: number;
  readonly code?: string;
  readonly error?: string;
  readonly execution_id: string;
}
type Call = (target: string, init: RequestInit) => Promise<Response>;

/** A form as bytes, which a test can damage. */
const part = (disposition: string, text: string, more = '') =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${text}\r\n`;
const file = (name: string, filename: string, text: string) =>
  part(`name="${name}"; filename="${filename}"`, text);

function behaviour(call: Call, folder: () => string, left: () => string[]): void {
  const post = async (
    target: string,
    body: BodyInit,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const response = await call(target, {
      method: 'POST',
      body,
      headers: { accept: 'application/json', ...headers },
    });
    return { ...((await response.json()) as Answer), status: response.status };
  };
  const raw = (target: string, text: string) =>
    post(target, text, { 'content-type': 'multipart/form-data; boundary=b' });
  const form = (...fields: readonly (readonly [string, string | Blob, string?])[]) => {
    const data = new FormData();
    for (const [name, value, filename] of fields)
      if (typeof value === 'string') data.append(name, value);
      else data.append(name, value, filename);
    return data;
  };

  test('the command gets the path of a private copy, which is gone afterwards', async () => {
    const { output, status } = await post(
      'sum',
      form(['width', '12'], ['image', new Blob([PNG]), 'Photo 1.mvg']),
    );
    const [, path = '', sum] = /^(\S+) 12 600\n(\w+) /.exec(output) ?? [];
    expect([status, sum, path.endsWith('/image.png')]).toEqual([200, sha256(PNG), true]);
    expect([existsSync(path), left()]).toEqual([false, []]);
  });

  test('values may come in the query, and a default holds', async () => {
    const image = ['image', new Blob(['x']), 'a.txt'] as const;
    expect(await post('sum?width=3', form(image))).toMatchObject({
      output: expect.stringContaining(' 3 600'),
    });
    expect(await post('sum', form(image))).toMatchObject({ output: expect.stringContaining(' 7 600') });
  });

  test('several files come one after another, and an optional one may be missing', async () => {
    const first = ['first', new Blob(['one ']), 'a'] as const;
    expect(await post('pair', form(first, ['second', new Blob(['two']), 'b']))).toMatchObject({
      output: 'one two',
    });
    expect(await post('pair', form(first))).toMatchObject({ output: 'one ' });
    // A browser sends a field without a chosen file.
    expect(await raw('pair', `${file('first', 'a', 'one')}${file('second', '', '')}--b--\r\n`)).toMatchObject(
      { output: 'one' },
    );
  });

  test.each([
    '../x',
    '-rf',
    '/etc/passwd',
    'a\u0000b.png',
    '.bashrc',
    'x.tar.gz;id',
    '%2e%2e%2fx',
    `${'n'.repeat(300)}.toolongext`,
  ])('the name %j of the client is never a path', async (name) => {
    const { output } = await raw('sum', `${file('image', name, 'data')}--b--\r\n`);
    expect(output).toMatch(/^\/\S+\/image(?:\.[a-z0-9]{1,8})? 7 600\n/);
  });

  test.each([
    ['a text for a file', part('name="image"', 'text'), 400, 'takes no text'],
    ['a file for a text', file('width', 'a', '3'), 400, 'takes a text, and the form has a file for it'],
    [
      'a file for no argument',
      file('other', 'a', 'x'),
      400,
      'there is no argument "other" that takes a file',
    ],
    ['one file twice', file('image', 'a', 'x') + file('image', 'a', 'y'), 400, 'given twice'],
    ['no file', part('name="width"', '3'), 400, 'argument "image": it is required: send the file'],
    [
      'a value after a file',
      file('image', 'a', 'x') + part('name="width"', '3'),
      400,
      'values come before files',
    ],
    ['10,000 fields', part('name="width"', '3').repeat(10_000), 400, 'more than 7 values'],
    ['a header without end', `--b\r\nX: ${'h'.repeat(400_000)}`, 413, 'before its first file'],
    ['no boundary at all', 'x'.repeat(300_000), 413, 'before its first file'],
  ])('%s is refused, and nothing runs', async (_what, text, status, message) => {
    const answer = await raw('sum', `${text}--b--\r\n`);
    expect([answer.status, answer.error]).toEqual([status, expect.stringContaining(message)]);
    expect(left()).toEqual([]);
  });

  test('a form that breaks off or never ends gives the command no file', async () => {
    const cut = await raw('sum', file('image', 'a', 'half').slice(0, -2));
    expect([cut.status, cut.error]).toEqual([400, expect.stringContaining('the form cannot be read')]);
    const endless = await raw('picture', `${file('image', 'a', '\x89PNG\r\n\x1a\n')}`.repeat(2));
    expect(endless.status).toBe(400);
    expect(left()).toEqual([]);
  });

  test('a file is checked by its content and its length', async () => {
    const image = (bytes: BlobPart, type = 'image/png') =>
      form(['image', new Blob([bytes], { type }), 'x.png']);
    expect(await post('picture', image(PNG))).toMatchObject({ status: 200, exit_code: 0 });
    const text = await post('picture', image('<svg/>'));
    expect([text.status, text.error]).toEqual([
      400,
      'argument "image": the file is text/plain by its content, and image/png or image/jpeg is accepted',
    ]);
    const long = await post('picture', image(Buffer.concat([PNG, PNG, PNG])));
    expect([long.status, long.code]).toEqual([413, 'payload_too_large']);
    // The form as a whole may be this long, because it also has room for values.
    const justTooLong = await post(
      'picture',
      image(Buffer.concat([PNG, Buffer.alloc(2 * MIB + 1 - PNG.length)])),
    );
    expect([justTooLong.status, justTooLong.error]).toEqual([
      413,
      `argument "image": the file is larger than ${2 * MIB} bytes`,
    ]);
    expect(left()).toEqual([]);
  });

  test('a Content-Type that does not fit into an order is refused, and the agent goes on', async () => {
    const body = `${file('first', 'a', 'one')}--b--\r\n`;
    const long = `multipart/form-data; boundary=b; more=${'x'.repeat(300)}`;
    expect(await post('pair', body, { 'content-type': long })).toMatchObject({
      status: 400,
      error: 'the Content-Type has more than 300 characters',
    });
    expect(await raw('pair', body)).toMatchObject({ output: 'one' });
  });

  test('a call without a form names the field', async () => {
    const answer = await post('sum', '{"width":3}', { 'content-type': 'application/json' });
    expect([answer.status, answer.error]).toEqual([400, expect.stringContaining('multipart/form-data')]);
  });

  test('the timeout of the endpoint also limits a slow sender', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    void writer
      .write(new TextEncoder().encode(file('image', 'a', 'half').slice(0, -2)))
      .catch(() => undefined);
    const answer = await post('slow', readable, { 'content-type': 'multipart/form-data; boundary=b' });
    expect([answer.status, answer.code]).toEqual([502, 'timeout']);
    expect([existsSync(join(folder(), 'slow-ran')), left()]).toEqual([false, []]);
  });
}

describe('on svc serve', () => {
  let world: World;
  let own: TemporaryFolder;
  beforeAll(async () => {
    own = await temporaryFolder();
    world = await serveWorld(endpoints(own.path), { env: { TMPDIR: own.path } });
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await own[Symbol.asyncDispose]();
  });

  behaviour(
    (target, init) => fetch(`${world.url}/${target}`, init),
    () => own.path,
    () =>
      readdirSync(own.path)
        .filter((name) => name.startsWith('svc-files-'))
        .flatMap((name) => readdirSync(join(own.path, name))),
  );
});

describe('on a hub', () => {
  let world: HubWorld;
  let agent: RealAgent;
  let own: TemporaryFolder;
  beforeAll(async () => {
    own = await temporaryFolder();
    world = await hubWorld();
    agent = await realAgent(world, endpoints(own.path));
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
    await own[Symbol.asyncDispose]();
  });
  const key = () => ({ 'x-api-key': world.start.apiKey });
  const call: Call = (target, init) =>
    fetch(world.urlOf(target), {
      ...init,
      headers: { ...key(), ...(init.headers as Record<string, string>) },
    });

  const agentFiles = () =>
    readdirSync(agent.stateFolder, { recursive: true, withFileTypes: true })
      .filter((entry) => basename(entry.parentPath) === 'files')
      .map(({ name }) => name);
  behaviour(call, () => own.path, agentFiles);

  const recorded = async (id: string) =>
    (await (await world.manage(`/executions/${id}`)).json()) as Record<string, unknown>;
  const ended = async (id: string) => {
    for (;;) {
      const record = await recorded(id);
      if (record.status !== 'running') return record;
    }
  };
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };

  test('the record has digest, length, type and name of a file, and not the file', async () => {
    const body = new FormData();
    body.append('image', new Blob([PNG]), 'a\u202eb.png');
    const response = await call('sum', { method: 'POST', body });
    await response.text();
    const record = await recorded(response.headers.get('x-execution-id') ?? '');
    expect(record.files).toEqual([
      {
        argument: 'image',
        name: 'a‹U+202E›b.png',
        bytes: PNG.length,
        type: 'image/png',
        sha256: sha256(PNG),
      },
    ]);
    expect(record.args).toEqual({});
  });

  test('the same request runs once: an idempotency key needs the digest of the form', async () => {
    const bytes = Buffer.from(`${file('image', 'a', 'once')}--b--\r\n`);
    const post = (digest?: string) =>
      call('sum', {
        method: 'POST',
        body: bytes,
        headers: {
          ...headers,
          accept: 'application/json',
          'idempotency-key': 'f',
          ...(digest && { 'content-digest': digest }),
        },
      });
    const digestOf = (it: Uint8Array) => `sha-256=:${createHash('sha256').update(it).digest('base64')}:`;
    expect((await post()).status).toBe(400);
    const first = (await (await post(digestOf(bytes))).json()) as Answer;
    expect(await (await post(digestOf(bytes))).json()).toMatchObject({ execution_id: first.execution_id });
    expect((await post(digestOf(Buffer.from('other')))).status).toBe(422);
  });

  test('a form with another digest than its caller says runs nothing', async () => {
    const body = `${file('image', 'a', 'x')}--b--\r\n`;
    const digest = `sha-256=:${createHash('sha256').update('other').digest('base64')}:`;
    const response = await call('slow', {
      method: 'POST',
      body,
      headers: { ...headers, accept: 'application/json', 'content-digest': digest },
    });
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('another SHA-256'),
    ]);
    expect(existsSync(join(own.path, 'slow-ran'))).toBe(false);
  });

  test('a use that cannot send a form is refused with the reason', async () => {
    const started = await world.manage('/executions', {
      method: 'POST',
      body: JSON.stringify({ endpoint: 'sum', args: {} }),
      headers: { 'content-type': 'application/json' },
    });
    expect([started.status, await started.text()]).toEqual([
      400,
      expect.stringContaining('multipart/form-data'),
    ]);
  });

  describe('the dashboard', () => {
    let session: Readonly<Record<string, string>>;
    beforeAll(async () => {
      const { signInUrl } = await world.hub.firstRun();
      const cookie = sessionIn(await postForm(signInUrl));
      session = { cookie, origin: world.hub.hubUrl, 'x-requested-with': 'svc' };
    });
    const start = async (slug: string, body: BodyInit, more: Readonly<Record<string, string>> = {}) => {
      const headers = { ...session, ...more };
      const url = `${world.hub.hubUrl}/endpoints/${slug}/executions`;
      const response = await fetch(url, { method: 'POST', body, headers });
      const answer = (await response.json()) as { readonly execution_id?: string };
      return { ...answer, status: response.status };
    };
    const image = (bytes: string | Buffer<ArrayBuffer>) => {
      const data = new FormData();
      data.append('width', '5');
      data.append('image', new Blob([bytes]), 'a.png');
      return data;
    };

    test('starts an endpoint with a file, and is answered when the file has arrived', async () => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      const write = (text: string) => writer.write(new TextEncoder().encode(text));
      const [half, rest] = [file('first', 'a', 'whole').slice(0, -4), 'le\r\n--b--\r\n'];
      let isAnswered = false;
      const starting = start('pair', readable, headers).finally(() => {
        isAnswered = true;
      });
      await write(half);
      // The agent makes the folder before it asks for bytes.
      await until(() => agentFiles().length > 0);
      await world.manage('/executions');
      expect(isAnswered).toBe(false);
      await write(rest);
      await writer.close();
      const { status, execution_id: id = '' } = await starting;
      expect([status, (await ended(id)).output]).toEqual([202, 'whole']);
    });

    test('sends the values and the file of its form, and the record names the dashboard', async () => {
      const started = await start('sum', image(PNG));
      const record = await ended(started.execution_id ?? '');
      expect([started.status, record.status, record.trigger, record.output]).toEqual([
        202,
        'succeeded',
        'dashboard',
        expect.stringContaining(` 5 600\n${sha256(PNG)}`),
      ]);
    });

    test('is refused before anything runs: a simple request, another body, no file to take, wrong values', async () => {
      const { 'x-requested-with': _own, ...simple } = session;
      const url = `${world.hub.hubUrl}/endpoints/sum/executions`;
      const refused = await fetch(url, { method: 'POST', body: image('x'), headers: simple });
      expect([refused.status, await refused.text()]).toEqual([
        403,
        expect.stringContaining('X-Requested-With'),
      ]);
      expect(await start('sum', '{}', { 'content-type': 'application/json' })).toMatchObject({
        status: 415,
        error: expect.stringContaining('multipart/form-data'),
      });
      expect(await start('plain', image('x'))).toMatchObject({
        status: 400,
        error: expect.stringContaining('POST /executions'),
      });
      expect(await start('nowhere', image('x'))).toMatchObject({ status: 404 });
      expect(await start('picture', image('x'))).toMatchObject({
        status: 400,
        error: expect.stringContaining('width'),
      });
      const long = { 'content-type': 'multipart/form-data; boundary=b' };
      const tooLong = part('name="width"', 'x'.repeat(2 * MIB));
      expect(await start('sum', tooLong, long)).toMatchObject({ status: 413 });
    });
  });

  test('svc call sends name=@path as the file itself, and a text stays a text', async () => {
    await Bun.write(join(own.path, 'photo.png'), PNG);
    const svc = (...args: string[]) =>
      runSvc(['call', ...args], { cwd: own.path, env: { SVC_API_KEY: world.start.apiKey } });
    const summed = await svc(world.urlOf('sum'), 'width=9', 'image=@photo.png');
    expect([summed.stdout, summed.stderr, summed.exitCode]).toEqual([
      expect.stringContaining(` 9 600\n${sha256(PNG)}`),
      '',
      0,
    ]);
    const paired = await svc(world.urlOf('pair'), 'first=@photo.png', 'second=@photo.png', '--json');
    expect(paired.exitCode).toBe(0);
    const opaque = await svc(world.urlOf('plain'), 'text=@photo.png');
    expect([opaque.exitCode, opaque.stderr]).toEqual([
      2,
      expect.stringContaining('photo.png is no text, and argument "text" takes no file'),
    ]);
    const missing = await svc(world.urlOf('sum'), 'image=@none.png');
    expect(missing.stderr).toContain('there is no such file');
  });

  test('an agent that is killed while it receives leaves a lost execution and, once it is back, no file', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    void writer
      .write(new TextEncoder().encode(file('image', 'a', 'half').slice(0, -2)))
      .catch(() => undefined);
    const response = await call('wait', {
      method: 'POST',
      body: readable,
      headers: { ...headers, accept: 'text/event-stream' },
    });
    const id = response.headers.get('x-execution-id') ?? '';
    // The agent makes the folder before it asks for bytes.
    await until(() => agentFiles().includes(id));
    await agent.restart();
    expect(await ended(id)).toMatchObject({ status: 'lost' });
    expect([existsSync(join(own.path, 'waited')), agentFiles()]).toEqual([false, []]);
    await response.body?.cancel();
  });
});
