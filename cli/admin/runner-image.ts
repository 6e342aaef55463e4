import { isEngineProblem } from '@svc/agent/host';
import { prepareRunnerImage } from '@svc/agent/runner-image';
import { imageFolder } from '../agent/host-options.ts';
import { EXIT, Failure } from '../failure.ts';
import type { RunnerImageOptions } from './options.ts';
import { printResult } from './print.ts';

/** `svc admin runner-image build`. */
export async function buildImage(options: RunnerImageOptions): Promise<void> {
  const folder = imageFolder(options.image, process.env);
  const { kind, ...image } = await built(options, folder);
  const text = `${folder}, sha256 ${image.digest}, ${image.bytes} bytes`;
  printResult(options, { folder, built: kind === 'built', ...image }, [
    { label: kind === 'built' ? 'built' : 'up to date', text },
  ]);
}

async function built({ sources, json }: RunnerImageOptions, folder: string) {
  const onLine = (line: string) => {
    if (!json && process.stderr.isTTY) process.stderr.write(`${line}\n`);
  };
  try {
    return await prepareRunnerImage({ folder, onLine, ...(sources === undefined ? {} : { sources }) });
  } catch (error) {
    if (isEngineProblem(error)) throw new Failure(error.message, { exitCode: EXIT.failed });
    throw error;
  }
}
