// deploy/compose.yaml: everything that it names exists, and a hub can run with its settings (docs/operate/operating.md).
import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readHubConfig } from '@svc/hub/config';
import {
  ENVIRONMENT_EXAMPLE,
  filledInExample,
  hubsOf,
  networksOf,
  readCompose,
  secondsOf,
} from './compose-file.ts';
import { composeFile } from './compose-schema.ts';
import { DEPLOY, deployText, deployYaml, environmentFile } from './deploy-files.ts';
import { hubVariables } from './hub-variables.ts';
import { interpolate, variablesIn } from './interpolate.ts';

/** After its drain a hub waits this long for unfinished answers (cli/hub/hub.ts). */
const HUB_GRACE_SEC = 30;

const compose = readCompose();
const services = Object.entries(compose.services);

test('has two hubs at least, that differ only in their data', () => {
  const hubs = hubsOf(compose);
  expect(hubs.length).toBeGreaterThanOrEqual(2);
  const [, { volumes: _, ...first }] = hubs[0] ?? expect.unreachable();
  for (const [name, { volumes, ...hub }] of hubs) {
    expect(hub).toEqual(first);
    expect(volumes).toEqual([`${name}:/var/lib/svc`]);
  }
});

test('sets only variables that a hub reads, with valid values', () => {
  const known = hubVariables();
  for (const [, { environment }] of hubsOf(compose)) {
    expect(Object.keys(environment).filter((name) => !known.has(name))).toEqual([]);
    const config = readHubConfig(environment);
    expect(config).toMatchObject({ hubUrl: 'https://svc.example.com', signup: 'invited' });
    expect(new URL(config.databaseUrl ?? '').hostname).toBe('postgres');
    expect(config.nats).toMatchObject({ servers: ['nats:4222'], user: 'hub' });
  }
});

test('has an example environment with exactly the variables that it requires', () => {
  const inFile = [...variablesIn(deployText('compose.yaml'))].sort();
  expect(Object.keys(environmentFile(ENVIRONMENT_EXAMPLE)).sort()).toEqual(inFile);
});

test.each(['SVC_HUB_URL', 'SVC_MASTER_KEY', 'POSTGRES_PASSWORD', 'NATS_PASSWORD'])(
  'does not start without %s',
  (name) => {
    const { [name]: _, ...rest } = filledInExample();
    expect(() => readCompose(rest)).toThrow(`${name} is not set`);
  },
);

test('has no secret in it', () => {
  const example = environmentFile(ENVIRONMENT_EXAMPLE);
  for (const name of ['SVC_MASTER_KEY', 'POSTGRES_PASSWORD', 'NATS_PASSWORD']) expect(example[name]).toBe('');
});

describe.each(services)('%s', (name, service) => {
  test('waits for services that exist, and for the health only of those with a health check', () => {
    for (const [other, { condition }] of Object.entries(service.depends_on)) {
      const awaited = compose.services[other];
      expect(awaited, `${name} depends on ${other}`).toBeDefined();
      // The health check of a hub is in its image.
      if (condition === 'service_healthy')
        expect(awaited?.healthcheck !== undefined || awaited?.image === 'svc').toBe(true);
    }
  });

  test('is on existing networks, with the services that it waits for', () => {
    const own = networksOf(service);
    expect(own.filter((network) => !(network in compose.networks))).toEqual([]);
    for (const other of Object.keys(service.depends_on)) {
      const shared = networksOf(compose.services[other] ?? service).filter((network) =>
        own.includes(network),
      );
      expect(shared, `${name} reaches ${other}`).not.toEqual([]);
    }
  });

  test('mounts existing volumes and files', () => {
    for (const volume of service.volumes) {
      const [source = ''] = volume.split(':');
      if (source.startsWith('.')) expect(existsSync(join(DEPLOY, source)), source).toBe(true);
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
    const { build } = service;
    if (build !== undefined) expect(existsSync(join(DEPLOY, build.context, build.dockerfile))).toBe(true);
  });
});

test('mounts every volume that it declares', () => {
  const mounted = services.flatMap(([, { volumes }]) => volumes.map((volume) => volume.split(':')[0]));
  expect(Object.keys(compose.volumes).filter((volume) => !mounted.includes(volume))).toEqual([]);
});

test('lets hubs finish their answers, and restarts everything else by itself', () => {
  for (const [, { stop_grace_period: grace, environment }] of hubsOf(compose))
    expect(secondsOf(grace ?? '10s')).toBeGreaterThan(readHubConfig(environment).drainSec + HUB_GRACE_SEC);
  expect(services.filter(([, { restart }]) => restart !== 'unless-stopped')).toEqual([]);
});

test('has a proxy with the one address that hubs believe, and that sends to these hubs', () => {
  const { proxy } = compose.services;
  const networks = proxy?.networks as { readonly front?: { readonly ipv4_address?: string } };
  for (const [, { environment }] of hubsOf(compose))
    expect(networks.front?.ipv4_address).toBe(environment.SVC_TRUSTED_PROXIES ?? '');
  const [subnet = ''] = compose.networks.front?.ipam?.config.map(({ subnet }) => subnet) ?? [];
  expect(networks.front?.ipv4_address).toStartWith(subnet.replace(/\.0\/24$/, '.'));
  const upstreams = deployText('proxy/Caddyfile')
    .match(/^\s*to (.*)$/m)?.[1]
    ?.split(' ');
  expect(upstreams).toEqual(hubsOf(compose).map(([name]) => `${name}:8787`));
});

test('opens nothing to the world but the proxy', () => {
  const open = services.flatMap(([name, { ports }]) =>
    ports.filter((port) => !port.startsWith('127.0.0.1:')).map(() => name),
  );
  expect(new Set(open)).toEqual(new Set(['proxy']));
  for (const name of ['postgres', 'nats'])
    expect(networksOf(compose.services[name] ?? expect.unreachable())).toEqual(['back']);
  expect(compose.networks.back).toEqual({ internal: true });
});

test('is checked for keys that Compose does not know, and for values that it does not take', () => {
  const [file] = deployYaml('compose.yaml') as [{ services: Record<string, object> }];
  const changed = (service: object) =>
    composeFile.safeParse(
      interpolate({ ...file, services: { ...file.services, ...service } }, filledInExample()),
    );
  expect(changed({}).success).toBe(true);
  const broken = changed({ nats: { ...file.services.nats, stop_grace: '3s', restart: 'sometimes' } });
  const issues = broken.error?.issues.map(({ code, path }) => `${code} ${path.join('.')}`) ?? [];
  expect(issues.toSorted()).toEqual([
    'invalid_value services.nats.restart',
    'unrecognized_keys services.nats',
  ]);
});
