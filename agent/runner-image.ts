import { type BuildOptions, type Built, buildImage } from './runner/container/image/build-image.ts';

/** Builds what containers of the hosted runner are made of, or finds it built (decision 49). */
export function buildRunnerImage(options: BuildOptions): Promise<Built> {
  return buildImage(options);
}
