// The templates about files, imported into a hub and run by an agent with the real programs.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { SQL } from 'bun';
import { Approvals } from '../approvals.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { postgresMissing, postgresProgram, startPostgres } from '../postgres.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { prepare } from './run-template.ts';
import { FILE_ENDPOINTS } from './templates.ts';

setDefaultTimeout(120_000);

const JSON_TYPE = { 'content-type': 'application/json' };
/** The helper asks for JSON otherwise, which has bytes in base64. */
const BYTES = { accept: '*/*' };
const hasNo = (...programs: string[]) => programs.some((program) => Bun.which(program) === null);

let world: HubWorld;
let agent: RealAgent;
let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
  world = await hubWorld();
  agent = await realAgent(world, []);
  for (const id of ['resize-image', 'csv-to-json', 'restore-postgres', 'sign-pdf'])
    expect((await send('POST', '/api/templates/import', { template_id: id })).status).toBe(201);
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const send = (method: string, path: string, body: object) =>
  world.manage(path, { method, headers: JSON_TYPE, body: JSON.stringify(body) });
const change = async (slug: string, body: object) =>
  expect([slug, (await send('PATCH', `/endpoints/${slug}`, body)).status]).toEqual([slug, 200]);
const path = (name: string) => join(folder.path, name);
function form(name: string, file: Blob): RequestInit {
  const body = new FormData();
  body.append(name, file, '../$(touch pwned).sh');
  return { method: 'POST', headers: BYTES, body };
}
const post = (body: Blob | string): RequestInit => ({
  method: 'POST',
  headers: { ...BYTES, 'content-type': 'application/octet-stream' },
  body,
});

test('has a test here for each endpoint', () => {
  const tested = ['resize-image', 'csv-to-json', 'pg-restore', 'sign-pdf', 'pdf-signatures'];
  expect(FILE_ENDPOINTS.map(({ slug }) => slug).sort()).toEqual(tested.sort());
});

test.skipIf(hasNo('gm'))(
  'an image becomes as wide as asked, never wider than it was, and without its profiles',
  async () => {
    await prepare('gm convert -size 800x400 xc:red -comment hello photo.jpg', folder.path);
    const sizeAt = async (width: number) => {
      const response = await world.call(
        `resize-image?width=${width}`,
        form('image', Bun.file(path('photo.jpg'))),
      );
      const png = Buffer.from(await response.arrayBuffer());
      expect([response.headers.get('content-type'), png.toString('latin1', 1, 4)]).toEqual([
        'image/png',
        'PNG',
      ]);
      return [png.readUInt32BE(16), png.readUInt32BE(20)];
    };
    expect(await sizeAt(200)).toEqual([200, 100]);
    expect(await sizeAt(2000)).toEqual([800, 400]);
    const text = await world.call('resize-image', form('image', new Blob(['push graphic-context'])));
    expect([text.ok, await text.text()]).toEqual([false, expect.stringContaining('image/png')]);
  },
);

test('the rows of a CSV file become JSON, with quotes, line breaks and other letters', async () => {
  const rows = async (text: string, query = '') =>
    (await world.call(`csv-to-json${query}`, post(text))).json() as Promise<unknown>;
  expect(await rows('\ufeffname,note\r\nAda,"a ""b"", c\nd"\r\nZoë,\r\n')).toEqual([
    { name: 'Ada', note: 'a "b", c\nd' },
    { name: 'Zoë', note: '' },
  ]);
  expect(await rows('a;b\n1,5;2\n', '?delimiter=semicolon')).toEqual([{ a: '1,5', b: '2' }]);
  expect(await rows('a\tb\n1\t2\n', '?delimiter=tab')).toEqual([{ a: '1', b: '2' }]);
  expect(await rows('a,b\n')).toEqual([]);
  const uneven = await world.call('csv-to-json?fail=1', post('a,b\n1,2\n3\n'));
  expect(uneven.status).toBe(502);
});

test.skipIf(postgresMissing !== undefined)(
  'a dump replaces what a database has after a person has approved; half a dump changes nothing',
  async () => {
    await using server = await startPostgres();
    const [source, target] = [await server.createDatabase(), await server.createDatabase()];
    await using from = new SQL(source, { max: 1 });
    await using to = new SQL(target, { max: 1 });
    await from.unsafe(
      "create table orders (id int primary key, note text); insert into orders values (1, 'new')",
    );
    await to.unsafe(
      "create table orders (id int primary key, note text); insert into orders values (7, 'old')",
    );
    await prepare(`'${postgresProgram('pg_dump')}' --format=custom --file=app.dump '${source}'`, folder.path);
    const { hostname, port, username, pathname } = new URL(target);
    const database = pathname.slice(1);
    expect((await send('PUT', '/secrets/PG_PASSWORD', { value: 'not asked for' })).status).toBe(204);
    await change('pg-restore', {
      env: { PGHOST: hostname, PGPORT: port, PGUSER: username },
      args: [{ name: 'database', choices: [database], required: true }],
    });
    const approvals = new Approvals(world);
    const restore = async (dump: Blob) => {
      const { approval_id: id, executionId } = await approvals.callForApproval(
        `pg-restore?database=${database}`,
        post(dump),
      );
      expect((await approvals.decide(id, 'approve')).status).toBe(200);
      const stream = await world.manage(`/executions/${executionId}/stream`);
      const events = await stream.text();
      return [(await approvals.execution(executionId)).exit_code, events];
    };
    const dump = Bun.file(path('app.dump'));
    const [failed] = await restore(dump.slice(0, Math.floor(dump.size / 2)));
    expect(failed).toBe(1);
    expect([...(await to.unsafe('select id, note from orders'))]).toEqual([{ id: 7, note: 'old' }]);
    expect(await restore(dump)).toEqual([0, expect.stringContaining(`${database} is restored`)]);
    expect([...(await to.unsafe('select id, note from orders'))]).toEqual([{ id: 1, note: 'new' }]);
  },
);

/** One empty page. */
function pdf(): string {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>',
  ];
  let text = '%PDF-1.7\n';
  const places: string[] = [];
  for (const [at, object] of objects.entries()) {
    places.push(`${String(text.length).padStart(10, '0')} 00000 n \n`);
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
  }
  const table = `xref\n0 4\n0000000000 65535 f \n${places.join('')}`;
  return `${text}${table}trailer\n<</Size 4/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`;
}

test.skipIf(hasNo('pdfsig', 'certutil'))(
  'a PDF is signed by the certificate of the machine, which a change breaks',
  async () => {
    await prepare(
      `mkdir nss && head -c 100 /dev/urandom > noise && certutil -N -d sql:nss --empty-password &&
     certutil -S -d sql:nss -n svc -s CN=Ada -x -t CT,C,C -v 12 -z noise`,
      folder.path,
    );
    const env = { NSSDIR: `sql:${path('nss')}` };
    await change('sign-pdf', { env: { ...env, CERTIFICATE: 'svc' } });
    await change('pdf-signatures', { env });
    const signed = await world.call('sign-pdf', form('document', new Blob([pdf()])));
    const id = signed.headers.get('x-execution-id') ?? '';
    await signed.text();
    const bytes = await (await world.manage(`/executions/${id}/artifacts/signed.pdf`)).bytes();
    const signatures = async (file: Blob) =>
      await (await world.call('pdf-signatures', form('document', file))).text();
    const valid = await signatures(new Blob([bytes]));
    expect(valid).toContain('Signer Certificate Common Name: Ada');
    expect(valid).toContain('Signature Validation: Signature is Valid.');
    const page = Buffer.from(bytes).indexOf('/MediaBox');
    expect(page).toBeGreaterThan(0);
    bytes[page + '/MediaBox[0 0 '.length] = '9'.charCodeAt(0);
    expect(await signatures(new Blob([bytes]))).toContain('Digest Mismatch');
    expect(await signatures(new Blob([pdf()]))).toContain('does not contain any signatures');
  },
);
