import { join } from 'node:path';
import { socketPath } from './docker/api/socket-path.ts';
import { DockerEngine } from './docker/docker-engine.ts';
import type { Engine } from './engine.ts';
import { findImage } from './image/runner-image.ts';
import { OciEngine } from './oci/oci-engine.ts';

export type ContainerEngineKind = 'oci' | 'docker';

/** The options of the engines of a host. */
export interface EngineOptions {
  /** Default: `oci` if it can run, else `docker`. */
  readonly engine?: ContainerEngineKind | undefined;
  /** The folder in which `svc admin runner-image build` puts the image. */
  readonly imageFolder: string;
  /** `oci`: the OCI runtime; default: crun. */
  readonly runtime?: string | undefined;
  /** `oci`: a network namespace, such as `/run/netns/hosted`, for the executions that may have a network. */
  readonly networkNamespace?: string | undefined;
  /** `docker`: its socket, in the form of `DOCKER_HOST`. */
  readonly dockerHost?: string | undefined;
  /** `docker`: one of its networks, for the executions that may have one. */
  readonly dockerNetwork?: string | undefined;
}

/** The name of a host, and its folder in memory. */
export interface EnginePlace {
  readonly instance: string;
  readonly stateFolder: string;
}

/** The engines in the order in which they are tried. An option of only one engine selects it. */
export function enginesFor(options: EngineOptions): readonly ContainerEngineKind[] {
  if (options.engine !== undefined) return [options.engine];
  if (options.runtime !== undefined || options.networkNamespace !== undefined) return ['oci'];
  if (options.dockerNetwork !== undefined) return ['docker'];
  return ['oci', 'docker'];
}

/** Rejects with an `EngineError` that names what this machine lacks. */
export async function openEngine(
  kind: ContainerEngineKind,
  options: EngineOptions,
  place: EnginePlace,
): Promise<Engine> {
  const { imageFolder, runtime, networkNamespace, dockerHost, dockerNetwork } = options;
  const image = findImage(imageFolder);
  switch (kind) {
    case 'oci':
      return await OciEngine.open({
        ...place,
        image,
        rootsFolder: join(imageFolder, 'roots'),
        ...(runtime === undefined ? {} : { runtime }),
        ...(networkNamespace === undefined ? {} : { networkNamespace }),
      });
    case 'docker':
      return await DockerEngine.open({
        ...place,
        image,
        socket: socketPath(dockerHost),
        ...(dockerNetwork === undefined ? {} : { network: dockerNetwork }),
      });
  }
}
