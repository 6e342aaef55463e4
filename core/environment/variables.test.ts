import { expect, test } from 'bun:test';
import { SVC_VARIABLES, unknownVariables } from './variables.ts';

test('a variable that nothing reads is named, with the one that was most likely meant', () => {
  expect(
    unknownVariables({ SVC_BASEURL: 'x', SVC_TOKE: 'x', SVC_ZZZZZZ: 'x', PATH: '/bin', HOME: '/' }),
  ).toEqual([
    'svc reads no variable SVC_BASEURL: did you mean SVC_BASE_URL?',
    'svc reads no variable SVC_TOKE: did you mean SVC_TOKEN?',
    'svc reads no variable SVC_ZZZZZZ',
  ]);
});

test('variables that the program, commands and tests read are known', () => {
  const given = [
    'SVC_ARG_NAME',
    'SVC_EXECUTION_ID',
    'SVC_ENDPOINT',
    'SVC_OUTPUT_DIR',
    'SVC_SECRET_ONE',
    'SVC_TEST_LONG',
  ];
  const all = [...SVC_VARIABLES, ...given];
  expect(unknownVariables(Object.fromEntries(all.map((name) => [name, 'x'])))).toEqual([]);
});

test('variables that Kubernetes sets for a service are known, and the same names without a service are not', () => {
  const port = { SVC_HUB_PORT: 'tcp://10.0.0.1:80', SVC_HUB_PORT_80_TCP_ADDR: '10.0.0.1' };
  expect(unknownVariables({ ...port, SVC_HUB_SERVICE_HOST: '10.0.0.1' })).toEqual([]);
  expect(unknownVariables(port)).toHaveLength(2);
});

test('every variable that the code reads is in the list', async () => {
  const named = new Set<string>();
  for (const room of ['cli', 'agent', 'hub'])
    for await (const path of new Bun.Glob(`${room}/**/*.ts`).scan({ cwd: `${import.meta.dir}/../..` })) {
      if (/\.test\.ts$|fixtures|node_modules/.test(path)) continue;
      const text = await Bun.file(`${import.meta.dir}/../../${path}`).text();
      for (const [name] of text.matchAll(/\bSVC_[A-Z][A-Z_]*[A-Z]\b/g)) named.add(name);
    }
  expect(named.size).toBeGreaterThan(15);
  expect(unknownVariables(Object.fromEntries([...named].map((name) => [name, 'x'])))).toEqual([]);
});
