import type { ArtifactState } from '@svc/core/artifact/upload';

/** A file that an execution left (decision 72, artifacts). */
export interface Artifact {
  readonly executionId: string;
  /** Its number in the execution, from 1. Files are stored under it, never under their name. */
  readonly id: number;
  readonly workspaceId: string;
  /** The path below the output folder. */
  readonly name: string;
  readonly size: number;
  readonly state: ArtifactState;
  /** Why it is missing, for people. */
  readonly reason: string | undefined;
  /** In hexadecimal, of a stored one. */
  readonly sha256: string | undefined;
  readonly createdAtMs: number;
}

/** Why a file is missing whose execution ended before its upload. */
export const UPLOAD_UNFINISHED = 'its upload did not end before the execution';
