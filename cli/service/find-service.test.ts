import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { type TemporaryFolder, temporaryFolder } from '../../test/temporary-folder.ts';
import { baseUrlOf, findService } from './find-service.ts';
import { Logins } from './logins.ts';

const LOGIN = { accessToken: 'svc_pat_ada', username: 'ada', expiresAt: '2026-12-20T12:00:00.000Z' };

/** A user who has started `svc up` here. */
async function user(folder: TemporaryFolder) {
  await Bun.write(join(folder.path, 'data', 'up.json'), '{"api_key":"svc_sk_local"}');
  return { XDG_CONFIG_HOME: folder.path, SVC_DATA_DIR: join(folder.path, 'data') };
}

test.each(['http://127.0.0.1:8787', 'http://localhost:9000', 'http://[::1]:8787', 'http://127.8.9.1'])(
  'the key of svc up is for %s, which is this machine',
  async (baseUrl) => {
    await using folder = await temporaryFolder();
    expect(findService({ baseUrl }, await user(folder))).toEqual({
      baseUrl,
      username: 'local',
      credential: 'svc_sk_local',
    });
  },
);

test.each([
  'https://svc.example.com',
  'http://127.0.0.1.example.com',
  'http://10.0.0.1:8787',
  'http://localhost.',
])('a file of logins is not sent to %s or another remote host', async (baseUrl) => {
  await using folder = await temporaryFolder();
  expect(findService({ baseUrl }, await user(folder)).credential).toBeUndefined();
});

test('a stored login is found under any spelling of the address, and under no other address', async () => {
  await using folder = await temporaryFolder();
  const environment = await user(folder);
  new Logins(environment).keep('https://SVC.example.com:443/', LOGIN);
  const at = (baseUrl: string) => findService({ baseUrl }, environment);
  for (const url of ['https://svc.example.com', 'https://svc.example.com/', 'https://svc.example.com:443'])
    expect(at(url)).toMatchObject({ credential: 'svc_pat_ada', username: 'ada' });
  for (const url of ['http://svc.example.com', 'https://svc.example.com:444', 'https://svc.example.com/team'])
    expect(at(url).credential).toBeUndefined();
  new Logins(environment).forget('https://svc.example.com');
  expect(at('https://svc.example.com').credential).toBeUndefined();
});

test('a login without a username is not taken for the user of svc up', async () => {
  await using folder = await temporaryFolder();
  const environment = await user(folder);
  new Logins(environment).keep('http://127.0.0.1:8787', { ...LOGIN, username: undefined });
  expect(findService({}, environment).username).toBeUndefined();
  expect(findService({}, { ...environment, SVC_USERNAME: 'bo' }).username).toBe('bo');
});

test('a damaged file of logins is reported, and not replaced', async () => {
  await using folder = await temporaryFolder();
  const environment = await user(folder);
  const { path } = new Logins(environment);
  await Bun.write(path, '{"http');
  expect(() => findService({}, environment)).toThrow(`${path} is not valid JSON`);
  expect(() => new Logins(environment).keep('http://127.0.0.1', LOGIN)).toThrow('is not valid JSON');
  expect(await Bun.file(path).text()).toBe('{"http');
});

test.each([
  '',
  'svc.example.com',
  'ftp://svc.example.com',
  'http://',
  'http://me:pw@svc.example.com',
  'http://x/?a=b',
])('%p is not the address of a service', (baseUrl) => {
  expect(() => baseUrlOf({ baseUrl }, {})).toThrow('address of a service');
});

test('an empty variable says nothing', () => {
  expect(baseUrlOf({}, { SVC_BASE_URL: '' })).toBe('http://127.0.0.1:8787');
  expect(baseUrlOf({}, { SVC_BASE_URL: 'https://svc.example.com/' })).toBe('https://svc.example.com');
});
