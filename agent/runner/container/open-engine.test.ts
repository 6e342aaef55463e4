import { expect, test } from 'bun:test';
import { type ContainerEngineKind, type EngineOptions, enginesFor } from './open-engine.ts';

test.each<[string, Omit<EngineOptions, 'imageFolder'>, readonly ContainerEngineKind[]]>([
  ['nothing is said', {}, ['oci', 'docker']],
  ['one is named', { engine: 'docker' }, ['docker']],
  ['a runtime is named', { runtime: 'runsc' }, ['oci']],
  ['a network namespace is named', { networkNamespace: '/run/netns/x' }, ['oci']],
  ['a network of Docker is named', { dockerNetwork: 'hosted' }, ['docker']],
])('the engines to try where %s', (_where, options, engines) => {
  expect(enginesFor({ imageFolder: '/nowhere', ...options })).toEqual(engines);
});
