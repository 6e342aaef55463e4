import { z } from 'zod';
import { ARGUMENT_NAME_PATTERN } from '../endpoint/argument-name.ts';
import { visibleText } from '../text/visible-text.ts';

/** What the record of an execution says of a file that came with its call (decision 76, files of a call). */
export interface ReceivedFile {
  readonly argument: string;
  /** The name that the client gave, as text for people; absent without one. */
  readonly name?: string | undefined;
  readonly bytes: number;
  /** The media type by content. */
  readonly type: string;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** A file as an approver has approved it (decision 83, bodies that wait for approval). */
export type ApprovedFile = Pick<ReceivedFile, 'argument' | 'bytes' | 'sha256'>;

/** Stands for the argument where the command reads the body from stdin. Such an endpoint has no arguments that are files. */
export const STDIN_FILE = 'stdin';

/** The part of the files that their approval fixes. */
export function approvedFiles(files: readonly ReceivedFile[]): ApprovedFile[] {
  return files.map(({ argument, bytes, sha256 }) => ({ argument, bytes, sha256 }));
}

/** Whether exactly the approved files have come, in any order. */
export function areApproved(received: readonly ApprovedFile[], approved: readonly ApprovedFile[]): boolean {
  return (
    received.length === approved.length &&
    approved.every(({ argument, bytes, sha256 }) =>
      received.some((file) => file.argument === argument && file.bytes === bytes && file.sha256 === sha256),
    )
  );
}

const MAX_NAME_CHARS = 200;

/** The name of a file as the client gave it, made visible and bounded; it is only shown. */
export function clientFileName(name: string | undefined): string | undefined {
  if (name === undefined || name === '') return undefined;
  const shown = visibleText(name.toWellFormed());
  return shown.length > MAX_NAME_CHARS ? `${shown.slice(0, MAX_NAME_CHARS).toWellFormed()}…` : shown;
}

/** The same on the wire and in the store. */
export const receivedFileSchema = z.object({
  argument: z.string().regex(ARGUMENT_NAME_PATTERN),
  name: z
    .string()
    .max(MAX_NAME_CHARS + 1)
    .optional(),
  bytes: z.int().min(0),
  type: z.string().max(200),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

export const approvedFileSchema = receivedFileSchema.pick({ argument: true, bytes: true, sha256: true });
