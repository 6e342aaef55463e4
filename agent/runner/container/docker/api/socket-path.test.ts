import { expect, test } from 'bun:test';
import { socketPath } from './socket-path.ts';

test.each([
  [undefined, '/var/run/docker.sock'],
  ['', '/var/run/docker.sock'],
  ['unix:///run/podman/podman.sock', '/run/podman/podman.sock'],
])('DOCKER_HOST %p is the socket %s', (dockerHost, path) => {
  expect(socketPath(dockerHost)).toBe(path);
});

test.each(['tcp://127.0.0.1:2375', 'ssh://host', '/var/run/docker.sock', 'unix://relative'])(
  'DOCKER_HOST %p is no engine on this machine',
  (dockerHost) => {
    expect(() => socketPath(dockerHost)).toThrow('on this machine is expected');
  },
);
