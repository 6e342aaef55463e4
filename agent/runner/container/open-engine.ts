import { join } from 'node:path';
import { socketPath } from './docker/api/socket-path.ts';
import { DockerEngine } from './docker/docker-engine.ts';
import type { Engine } from './engine.ts';
import { findImage } from './image/runner-image.ts';
import { OciEngine } from './oci/oci-engine.ts';

export type ContainerEngineKind = 'oci' | 'docker';

/** What the engines of a host are made with. */
export interface EngineOptions {
  /** Default: `oci` where it can run, else `docker`. */
  readonly engine?: ContainerEngineKind | undefined;
  /** Where `svc admin runner-image build` has put the image. */
  readonly imageFolder: string;
  /** `oci`: the OCI runtime; default: crun. */
  readonly runtime?: string | undefined;
  /** `oci`: a network namespace, such as `/run/netns/hosted`, for the executions that may have a network. */
  readonly networkNamespace?: string | undefined;
  /** `docker`: where it listens, as `DOCKER_HOST` says it. */
  readonly dockerHost?: string | undefined;
  /** `docker`: one of its networks, for the executions that may have one. */
  readonly dockerNetwork?: string | undefined;
}

/** What a host is called, and its folder of what is gone with the machine's memory. */
export interface EnginePlace {
  readonly instance: string;
  readonly stateFolder: string;
}

/** In the order in which they are tried. An option that only one of them has chooses it. */
export function enginesFor(options: EngineOptions): readonly ContainerEngineKind[] {
  if (options.engine !== undefined) return [options.engine];
  if (options.runtime !== undefined || options.networkNamespace !== undefined) return ['oci'];
  if (options.dockerNetwork !== undefined) return ['docker'];
  return ['oci', 'docker'];
}

/** Rejects with an `EngineError` that says what this machine lacks. */
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
