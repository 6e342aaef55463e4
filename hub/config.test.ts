import { describe, expect, test } from 'bun:test';
import { printableConfig, readHubConfig, withoutHubSecrets } from './config.ts';
import { ConfigError } from './platform/read-variable.ts';

const SHARED = { DATABASE_URL: 'postgres://svc@db/svc', SVC_MASTER_KEY: '7'.repeat(64) };
const NOTHING = { user: undefined, password: undefined, credsFile: undefined, tls: undefined };

const nats = (environment: Record<string, string>) => readHubConfig({ ...SHARED, ...environment }).nats;

describe('the broker', () => {
  test('is not used unless it is configured', () => {
    expect(readHubConfig({}).nats).toBeUndefined();
    expect(nats({ NATS_CREDS: '/etc/svc/nats.creds' })).toBeUndefined();
  });

  test('is one or several servers of a cluster, with the user of the first', () => {
    expect(nats({ NATS_URL: 'nats://one' })).toEqual({ ...NOTHING, servers: ['one'] });
    expect(nats({ NATS_URL: 'nats://hub:p%40ss@one:4222, nats://[::1]:4223' })).toEqual({
      ...NOTHING,
      servers: ['one:4222', '[::1]:4223'],
      user: 'hub',
      password: 'p@ss',
    });
    expect(nats({ NATS_URL: 'nats://token@one' })).toMatchObject({ user: 'token', password: undefined });
  });

  test('is connected with TLS where the address or a file asks for it', () => {
    const files = { caFile: undefined, certFile: undefined, keyFile: undefined };
    expect(nats({ NATS_URL: 'tls://one' })?.tls).toEqual(files);
    expect(nats({ NATS_URL: 'nats://one', NATS_CA: '/ca.pem' })?.tls).toEqual({
      ...files,
      caFile: '/ca.pem',
    });
  });

  test('is refused where it is no address, is for one hub alone, or lacks half of a certificate', () => {
    for (const url of ['one:4222', 'http://one', 'nats://', 'nats://one,x'])
      expect(() => nats({ NATS_URL: url })).toThrow(ConfigError);
    expect(() => readHubConfig({ NATS_URL: 'nats://one' })).toThrow('DATABASE_URL is needed');
    expect(() => nats({ NATS_URL: 'nats://one', NATS_CERT: '/cert.pem' })).toThrow('belong together');
  });

  test('is printed without what opens it', () => {
    const config = readHubConfig({ ...SHARED, NATS_URL: 'nats://hub:s3cret@one' });
    const printed = JSON.stringify(printableConfig(config));
    expect(printed).toContain('"servers":["one"]');
    expect(printed).not.toMatch(/s3cret|"hub"/);
  });
});

test('proxies that are trusted are addresses and networks, and nothing that would never match', () => {
  const trusted = (text: string) => readHubConfig({ SVC_TRUSTED_PROXIES: text }).trustedProxies;
  expect(trusted('10.0.0.1, fd00::/8,192.0.2.0/24')).toEqual(['10.0.0.1', 'fd00::/8', '192.0.2.0/24']);
  for (const text of ['proxy', '10.0.0.0/33', '10.0.0.1:80', '*'])
    expect(() => trusted(text)).toThrow('SVC_TRUSTED_PROXIES has');
});

test('commands beside a hub get no variable of it that may hold a password', () => {
  const forHub = {
    DATABASE_URL: 'postgres://svc:password@db/svc',
    SMTP_URL: 'smtp://svc:password@mail',
    NATS_URL: 'nats://svc:password@bus',
    NATS_CREDS: '/etc/password',
    NATS_KEY: '/etc/password.key',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=password',
  };
  const own = { PATH: '/bin', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector', NATS_CA: '/etc/ca.pem' };
  expect(withoutHubSecrets({ ...forHub, ...own })).toEqual(own);
});

describe('the OpenID provider', () => {
  const named = { SVC_OIDC_ISSUER: 'https://login.example/realms/a/', SVC_OIDC_CLIENT_ID: 'svc' };
  const oidc = (environment: Record<string, string>) => readHubConfig({ ...named, ...environment }).oidc;

  test('is not used unless it is configured, and keeps the slash of its issuer', () => {
    expect(readHubConfig({}).oidc).toBeUndefined();
    expect(oidc({})).toEqual({
      issuer: 'https://login.example/realms/a/',
      clientId: 'svc',
      clientSecret: undefined,
      name: 'single sign-on',
      scopes: 'openid email profile',
      emailVerified: 'claim',
      groupsClaim: undefined,
      groupWorkspaces: [],
    });
    const groups = { SVC_OIDC_GROUPS_CLAIM: 'realm_access.roles', SVC_OIDC_GROUPS_WORKSPACES: 'acme,site' };
    expect(oidc(groups)).toMatchObject({
      groupsClaim: 'realm_access.roles',
      groupWorkspaces: ['acme', 'site'],
    });
    expect(oidc({ SVC_OIDC_ISSUER: 'http://127.0.0.1:8080' })?.issuer).toBe('http://127.0.0.1:8080');
  });

  test('is refused over plain http, without its client, or without the scope that makes it one', () => {
    for (const issuer of [
      'http://login.example',
      'login.example',
      'https://a?b',
      'https://a#b',
      'https://u@a',
      'ftp://a',
    ])
      expect(() => oidc({ SVC_OIDC_ISSUER: issuer })).toThrow('SVC_OIDC_ISSUER is');
    for (const name of ['SVC_OIDC_ISSUER', 'SVC_OIDC_CLIENT_ID'])
      expect(() => oidc({ [name]: '' })).toThrow('belong together');
    expect(() => oidc({ SVC_OIDC_SCOPES: 'email' })).toThrow('one of them openid');
    for (const name of ['SVC_OIDC_GROUPS_CLAIM', 'SVC_OIDC_GROUPS_WORKSPACES'])
      expect(() => oidc({ [name]: 'acme' })).toThrow('SVC_OIDC_GROUPS_WORKSPACES belong together');
    expect(() => oidc({ SVC_OIDC_EMAIL_VERIFIED: 'yes' })).toThrow('one of claim, always');
  });

  test('is printed without its secret', () => {
    const config = readHubConfig({ ...named, SVC_OIDC_CLIENT_SECRET: 's3cret' });
    expect(JSON.stringify(printableConfig(config))).not.toContain('s3cret');
  });
});

describe('the object store', () => {
  const S3 = {
    SVC_S3_ENDPOINT: 'https://s3.example.com/',
    SVC_S3_BUCKET: 'files',
    SVC_S3_ACCESS_KEY_ID: 'the-id',
    SVC_S3_SECRET_ACCESS_KEY: 's3cret',
  };

  test('is used when it is configured, with a region and a prefix', () => {
    expect(readHubConfig({}).s3).toBeUndefined();
    expect(readHubConfig({ ...S3, SVC_S3_PREFIX: 'svc/one/', SVC_S3_REGION: 'auto' }).s3).toEqual({
      ...{ endpoint: 'https://s3.example.com', bucket: 'files', region: 'auto', prefix: 'svc/one/' },
      ...{ accessKeyId: 'the-id', secretAccessKey: 's3cret', encryption: 'off' },
    });
  });

  test('encrypts objects with keys of the hub, where the network does not see them', () => {
    const encryptionOf = (SVC_S3_ENDPOINT: string) =>
      readHubConfig({ ...S3, SVC_S3_ENDPOINT, SVC_S3_ENCRYPTION: 'key' }).s3?.encryption;
    for (const endpoint of [
      S3.SVC_S3_ENDPOINT,
      'http://127.0.0.1:9000',
      'http://localhost',
      'http://[::1]:1',
    ])
      expect(encryptionOf(endpoint)).toBe('key');
    for (const endpoint of ['http://s3.example.com', 'http://10.0.0.1:9000', 'http://127.0.0.1.example.com'])
      expect(() => encryptionOf(endpoint)).toThrow('an address that begins with https:// expected');
  });

  test.each([
    [{ SVC_S3_BUCKET: '' }, 'belong together'],
    [{ SVC_S3_ENDPOINT: 'https://s3.example.com/files' }, 'without a path'],
    [{ SVC_S3_BUCKET: 'a/b' }, 'name of a bucket'],
    [{ SVC_S3_PREFIX: '../' }, 'names with / after each'],
    [{ SVC_S3_PREFIX: 'svc' }, 'names with / after each'],
    [{ SVC_ARTIFACTS_DIR: '/srv' }, 'in a folder or in an object store'],
    [{ SVC_S3_ENCRYPTION: 'on' }, 'SVC_S3_ENCRYPTION is "on"'],
  ])('is refused with %p', (change, message) =>
    expect(() => readHubConfig({ ...S3, ...change })).toThrow(message),
  );

  test('is printed without its credentials', () => {
    expect(JSON.stringify(printableConfig(readHubConfig(S3)))).not.toMatch(/s3cret|the-id/);
  });
});
