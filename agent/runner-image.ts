import { type BuildOptions, type Built, buildRunnerImage } from './runner/container/image/build-image.ts';

/** Builds the image of the hosted runner's containers, or finds it built (decision 49, the hosted runner). */
export function prepareRunnerImage(options: BuildOptions): Promise<Built> {
  return buildRunnerImage(options);
}
