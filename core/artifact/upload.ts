import { z } from 'zod';
import { ARTIFACT_LIMITS } from './limits.ts';
import { artifactNameProblem } from './name.ts';

const { files, missing, reasonChars } = ARTIFACT_LIMITS;
const text = (chars: number) =>
  z
    .string({ error: `a text of at most ${chars} characters expected` })
    .min(1)
    .max(chars);
const name = text(ARTIFACT_LIMITS.nameBytes).refine((value) => artifactNameProblem(value) === undefined, {
  error: 'a path below the output folder expected',
});
const reason = text(reasonChars).describe('Why it is not there, for people.');
const size = z.int({ error: 'a number of bytes expected' }).min(0);

/** What an agent found in the output folder of an execution (decision 72, artifacts). */
export const foundArtifacts = z
  .strictObject({
    files: z.array(z.strictObject({ name, size }), { error: 'a list of files expected' }).max(files),
    missing: z
      .array(z.strictObject({ name, reason }), { error: 'a list of files expected' })
      .max(missing)
      .describe('The files that match a pattern and are not sent.'),
  })
  .meta({ id: 'FoundArtifacts' });

/** `uploading`: the hub has a part. `missing`: the file will not come, for a reason. */
export const artifactState = z.enum(['uploading', 'stored', 'missing']);
export type ArtifactState = z.infer<typeof artifactState>;

/** An agent has a piece in memory while it sends it. */
export const MAX_PIECE_BYTES = 64 * 1024 * 1024;

/** An agent has a chunk in memory for each request. */
export const MAX_REQUESTS = 4;

/** What the hub has of each file. */
export const artifactUploads = z
  .strictObject({
    uploads: z.array(
      z.strictObject({
        file: z.int().describe('Its place in the request, from 0.'),
        id: z.int().describe('Its number in the paths of the next requests.'),
        offset: z.int().describe('The bytes that the hub has.'),
        state: artifactState,
        requests: z
          .int()
          .min(1)
          .max(MAX_REQUESTS)
          .optional()
          .describe('How many requests with bytes of this file may be open at once. Absent: one.'),
        piece_bytes: z
          .int()
          .min(1)
          .max(MAX_PIECE_BYTES)
          .optional()
          .describe(
            'Present: the bytes go to an object store, in pieces of this size. Ask for the URL of each piece.',
          ),
      }),
    ),
  })
  .meta({ id: 'ArtifactUploads' });

/** An agent sends this header with its list of files if it can send pieces to an object store. Agents of earlier versions do not. */
export const UPLOADS_HEADER = 'X-Svc-Uploads';
export const UPLOADS_PIECES = 'pieces';
/** An agent sends this header, too, if it sends pieces with the headers that the hub names. */
export const PIECE_HEADERS_HEADER = 'X-Svc-Piece-Headers';

/** Where an agent sends a piece. */
export const artifactPiece = z
  .strictObject({
    url: z
      .string()
      .describe('Send exactly the bytes of this piece with `PUT`. The URL expires after 5 minutes.'),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .describe('Send them with the bytes. With them the store encrypts the piece. They are secret.'),
  })
  .meta({ id: 'ArtifactPiece' });

/** How an upload ends: with the hash of the file, or because it cannot go on. */
export const artifactEnd = z
  .strictObject({
    sha256: z
      .string({ error: '64 hexadecimal digits expected' })
      .regex(/^[0-9a-f]{64}$/, { error: '64 hexadecimal digits expected' })
      .optional()
      .describe('Of the whole file. Absent: it will not come.'),
    reason: reason.optional(),
  })
  .meta({ id: 'ArtifactEnd' });

export type FoundArtifacts = z.infer<typeof foundArtifacts>;
export type ArtifactUploads = z.infer<typeof artifactUploads>;
export type ArtifactPiece = z.infer<typeof artifactPiece>;
export type ArtifactEnd = z.infer<typeof artifactEnd>;
