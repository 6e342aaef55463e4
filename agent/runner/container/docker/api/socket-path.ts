import { EngineError } from '../../engine.ts';

export const DEFAULT_SOCKET = '/var/run/docker.sock';

/**
 * The socket of the engine, from `DOCKER_HOST` as for the program `docker`. An engine on another machine would have other
 * folders and users.
 */
export function socketPath(dockerHost: string | undefined): string {
  if (dockerHost === undefined || dockerHost === '') return DEFAULT_SOCKET;
  const [, path] = /^unix:\/\/(\/.+)$/.exec(dockerHost) ?? [];
  if (path !== undefined) return path;
  throw new EngineError(
    `DOCKER_HOST is "${dockerHost}": an engine on this machine is expected, such as unix://${DEFAULT_SOCKET}`,
  );
}
