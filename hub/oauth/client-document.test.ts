import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readNetwork } from '@svc/core/alert/address';
import { MovableClock } from '../../test/movable-clock.ts';
import { systemResolve } from '../alerts/delivery/checked-addresses.ts';
import { Receiver } from '../alerts/fixtures/receiver.ts';
import { EnvelopeVault } from '../platform/vault/envelope-vault.ts';
import { fetchDocument } from './fetch-document.ts';
import { type FindClientDeps, findClient, registerClient } from './find-client.ts';

let receiver: Receiver;
let clock: MovableClock;
beforeEach(() => {
  receiver = new Receiver();
  clock = new MovableClock();
});
afterEach(() => receiver[Symbol.asyncDispose]());

const LOOPBACK = ['127.0.0.1'].flatMap((text) => readNetwork(text) ?? []);
const fetched = (allowed = LOOPBACK) =>
  fetchDocument({ clock, resolve: systemResolve, allowed }, receiver.url);
const answering = (body: string | ReadableStream, init: ResponseInit = {}) => {
  const headers = { 'content-type': 'application/json' };
  receiver.answer = () => new Response(body, { headers, ...init });
};

describe('a document', () => {
  test('is fetched with one GET that carries nothing of the hub', async () => {
    answering('{"a":1}');
    expect(await fetched()).toEqual({ a: 1 });
    expect(receiver.received.map(({ body }) => body)).toEqual(['']);
    expect([...(receiver.received[0]?.headers.keys() ?? [])].sort()).toEqual([
      'accept',
      'connection',
      'host',
    ]);
  });

  test('is not fetched from an address that is not public', async () => {
    expect(fetched([])).rejects.toThrow('is not on the public Internet');
    expect(receiver.received).toEqual([]);
  });

  test('is refused as a redirect, as another type, as no JSON, and when it is large', async () => {
    await using inner = new Receiver();
    answering('', { status: 302, headers: { location: inner.url } });
    expect(fetched()).rejects.toThrow('the answer was 302');
    answering('{}', { headers: { 'content-type': 'text/html' } });
    expect(fetched()).rejects.toThrow('was not application/json');
    answering('secret text');
    expect(fetched()).rejects.toThrow(/^the answer was not JSON$/);
    let pulled = 0;
    const pull = (controller: ReadableStreamDefaultController) => {
      pulled += 1;
      controller.enqueue(new Uint8Array(16_384));
    };
    answering(new ReadableStream({ pull }));
    expect(fetched()).rejects.toThrow('more than 65536 bytes');
    expect([inner.received.length, pulled < 1_000]).toEqual([0, true]);
  });

  test('that does not come within five seconds is given up', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    receiver.answer = () => {
      arrive();
      return new Promise<Response>(() => undefined);
    };
    const late = fetched();
    await arrived;
    clock.move(5_000);
    expect(late).rejects.toThrow('no answer in time');
  });
});

describe('a client', () => {
  const ID = 'https://app.example/client.json';
  const vault = new EnvelopeVault(new Uint8Array(32));
  const REDIRECTS = { redirect_uris: ['https://app.example/cb'] };
  const deps = (document: unknown, hasClientRegistration = true): FindClientDeps => ({
    vault,
    settings: { hasClientRegistration },
    fetchDocument: () => Promise.resolve(document),
  });

  test('is known by its document, with the host that vouches for it', async () => {
    const document = { client_id: ID, client_name: 'App', ...REDIRECTS };
    expect(await findClient(deps(document), ID)).toEqual({
      id: ID,
      host: 'app.example',
      name: 'App',
      redirectUris: ['https://app.example/cb'],
    });
  });

  test.each([
    ['of another client', { client_id: 'https://other.example/client', ...REDIRECTS }, 'another one'],
    ['without an id', REDIRECTS, 'another one'],
    ['without redirect URIs', { client_id: ID }, 'redirect_uris'],
    [
      'with a key',
      { client_id: ID, token_endpoint_auth_method: 'private_key_jwt', ...REDIRECTS },
      '"none" is',
    ],
  ])('whose document is %s is refused', async (_, document, about) => {
    expect(findClient(deps(document), ID)).rejects.toThrow(about);
  });

  test('that registered is known by its id alone, unless the operator turned that off', async () => {
    const { id } = registerClient(deps(undefined), { client_name: 'Editor', ...REDIRECTS });
    expect(await findClient(deps(undefined), id)).toMatchObject({ id, host: undefined, name: 'Editor' });
    expect(findClient(deps(undefined, false), id)).rejects.toThrow('takes no registered clients');
    expect(findClient(deps(undefined), `${id.slice(0, -2)}xx`)).rejects.toThrow('did not register here');
  });

  test('with more redirect URIs than fit into a URL is not registered', () => {
    const long = {
      redirect_uris: Array.from({ length: 5 }, (_, n) => `https://a.example/${n}${'x'.repeat(400)}`),
    };
    expect(() => registerClient(deps(undefined), long)).toThrow('fewer or shorter');
  });
});
