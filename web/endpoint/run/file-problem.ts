import { fileLimit } from '@svc/core/endpoint/file-arguments';
import type { WireArgument } from '../wire-endpoint.ts';
import { needsValue, type RunFiles } from './run-values.ts';

type FileArgument = Pick<WireArgument, 'max_bytes' | 'accept'>;

/** The accepted files in words, for the form: their types and their size. The text follows "Accepts". */
export function acceptedFile({ max_bytes: maxBytes, accept }: FileArgument): string {
  const type = accept === undefined ? 'any type' : `type ${accept.join(' or ')}`;
  return `a file of ${type}, up to ${fileSize(limitOf(maxBytes))}`;
}

/** The problem with the chosen file; the agent checks the type by the content. */
export function fileProblem(argument: WireArgument, files: RunFiles): string | undefined {
  const file = files.get(argument.name);
  if (file === undefined) return needsValue(argument) ? 'it is required: choose a file' : undefined;
  const limit = limitOf(argument.max_bytes);
  if (file.size <= limit) return undefined;
  return `the file has ${fileSize(file.size)}; at most ${fileSize(limit)} are accepted`;
}

function limitOf(maxBytes: number | undefined): number {
  return fileLimit(maxBytes === undefined ? {} : { maxBytes });
}

const UNITS = [
  { unit: 'GiB', bytes: 1024 ** 3, isExact: true },
  { unit: 'MiB', bytes: 1024 ** 2, isExact: true },
  { unit: 'GB', bytes: 1e9, isExact: false },
  { unit: 'MB', bytes: 1e6, isExact: false },
  { unit: 'kB', bytes: 1e3, isExact: false },
] as const;

/** 20 MB, or 100 MiB where that is exact; other sizes have one decimal and are rounded down. */
export function fileSize(size: number): string {
  const found = UNITS.find(({ bytes, isExact }) => size >= bytes && (!isExact || size % bytes === 0));
  if (found === undefined) return `${size} bytes`;
  return `${Math.floor((size / found.bytes) * 10) / 10} ${found.unit}`;
}
