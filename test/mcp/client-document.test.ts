// A client that names itself by a document: a hub in a process of its own fetches it over TLS, through the filter of alerts.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Receiver } from '../../hub/alerts/fixtures/receiver.ts';
import { HubProgram } from '../hub-program.ts';
import type { HubWorld } from '../hub-world.ts';
import { type Person, signIn } from '../people.ts';
import { makeCertificate } from '../proxies/proxy.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { OAuthClient } from './oauth-client.ts';
import { rpc } from './raw-agent.ts';

let folder: TemporaryFolder;
let site: Receiver;
let hub: HubProgram;
let world: { readonly hub: { readonly hubUrl: string } };
let person: Person;

beforeAll(async () => {
  folder = await temporaryFolder();
  await makeCertificate(folder.path);
  const file = (name: string) => join(folder.path, name);
  const [cert, key] = [await Bun.file(file('cert.pem')).text(), await Bun.file(file('key.pem')).text()];
  site = new Receiver({ hostname: 'localhost', tls: { cert, key } });
  hub = await HubProgram.make(folder.path, { SVC_RATE_LIMITS: 'off' });
  await hub.start({
    SVC_OPERATORS: 'operator@localhost',
    NODE_EXTRA_CA_CERTS: file('cert.pem'),
    SVC_ALERT_PRIVATE_NETWORKS: '127.0.0.0/8,::1/128',
  });
  const authorization = `Bearer ${hub.accessToken}`;
  const manage = (path: string) => fetch(`${hub.url}${path}`, { headers: { authorization } });
  world = { hub: { hubUrl: hub.url } };
  person = await signIn({ ...world, manage } as unknown as HubWorld, 'operator@localhost');
});
afterAll(async () => {
  await hub?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

const idAt = (path: string) => `https://localhost:${site.port}${path}`;
const document = (id: string, more: object = {}) => ({
  client_id: id,
  client_name: 'Documented',
  redirect_uris: ['http://127.0.0.1/callback'],
  ...more,
});

test('a person allows the client of the document, and it calls with its tokens', async () => {
  const id = idAt('/client.json');
  site.answer = () => Response.json(document(id));
  const client = new OAuthClient(world, id);
  const asked = client.ask();
  const { html } = await client.page(asked, person);
  expect(html).toContain('Allow Documented?');
  expect(html).toContain(`of <b>localhost:${site.port}</b>`);
  const tokens = await client.connect(person);
  expect((await rpc({ url: `${hub.url}/mcp`, key: tokens.access }, 'tools/list')).status).toBe(200);
  const renewed = await client.refresh(tokens.refresh);
  expect(renewed.status).toBe(200);
  expect(site.received.every(({ path }) => path === '/client.json')).toBe(true);
});

test.each([
  ['a document of another client', () => Response.json(document(idAt('/other.json'))), 'another one'],
  ['a redirect', () => Response.redirect(idAt('/client.json'), 302), 'the answer was 302'],
  [
    'a document with another redirect URI',
    (id: string) => Response.json(document(id, { redirect_uris: ['https://evil.example/cb'] })),
    'redirect_uri',
  ],
])('%s allows nothing', async (_, answer, about) => {
  const id = idAt('/wrong.json');
  site.answer = () => answer(id);
  const client = new OAuthClient(world, id);
  const { status, html } = await client.page(client.ask(), person);
  expect([status, html.includes('<form')]).toEqual([400, false]);
  expect(html).toContain(about);
});

test('a visitor without a session makes the hub fetch nothing', async () => {
  const before = site.received.length;
  const client = new OAuthClient(world, idAt('/client.json'));
  expect((await client.page(client.ask())).html).toContain('email');
  expect(site.received.length).toBe(before);
});
