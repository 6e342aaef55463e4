import { z } from 'zod';
import {
  artifactEnd,
  artifactPiece,
  artifactState,
  artifactUploads,
  foundArtifacts,
} from '../../artifact/upload.ts';
import { EXECUTION_READER } from '../contract/access.ts';
import { empty, json, media } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_TIME } from './examples.ts';

const SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const artifact = z
  .strictObject({
    name: z.string().describe('The path below the output folder.'),
    size: z.int().describe('Bytes.'),
    type: z.string().describe('The media type, by the ending of the name.'),
    state: artifactState,
    reason: z.string().optional().describe('Why it is missing.'),
    sha256: z.string().optional().describe('In hexadecimal.'),
    url: z.string().optional().describe('Where it is read.'),
    created_at: TIME,
  })
  .meta({ id: 'Artifact', description: 'A file that an execution left.' });

const withReadToken = z.strictObject({
  token: z.string().optional().describe('The read token of a call without a key.'),
});

const withOffset = z.strictObject({
  offset: z
    .string()
    .regex(/^\d{1,15}$/, { error: 'a number of bytes expected' })
    .optional()
    .describe('Where the bytes begin; 0 when absent.'),
});

/** Files that executions leave (decision 72, artifacts). */
export const artifactRouteRows = {
  listArtifacts: {
    method: 'GET',
    path: '/executions/{id}/artifacts',
    summary: 'List the files of an execution',
    access: EXECUTION_READER,
    query: withReadToken,
    answers: {
      200: json('The files by name.', z.strictObject({ items: z.array(artifact) }), {
        items: [
          {
            name: 'app.zip',
            size: 0,
            type: 'application/zip',
            state: 'stored',
            sha256: SHA256,
            created_at: EXAMPLE_TIME,
          },
        ],
      }),
    },
  },
  readArtifact: {
    method: 'GET',
    path: '/executions/{id}/artifacts/{artifact}',
    summary: 'Read a file of an execution',
    description: 'Always an attachment. `Range` asks for a part, `If-None-Match` compares the SHA-256.',
    access: EXECUTION_READER,
    query: withReadToken,
    answers: {
      200: { ...media('application/octet-stream', 'The bytes.'), anyBytes: true },
      206: { ...media('application/octet-stream', 'The bytes of the range.'), anyBytes: true },
      304: empty('The reader has these bytes.'),
      416: empty('The range is beyond the end.'),
    },
    refusals: ['not_found'],
  },
  readArtifactArchive: {
    method: 'GET',
    path: '/executions/{id}/artifacts.zip',
    summary: 'Read all files of an execution as a ZIP archive',
    description:
      'Without compression. Names that some systems do not take are changed: `a:b` becomes `a_b`, and a number tells `a` and `A` apart.',
    access: EXECUTION_READER,
    query: withReadToken,
    answers: { 200: { ...media('application/zip', 'The archive.'), anyBytes: true } },
    refusals: ['not_found', 'unavailable'],
  },
  announceArtifacts: {
    method: 'POST',
    path: '/agents/artifacts/{id}',
    summary: 'Announce the files of an execution',
    description:
      'For agents, with their token. `X-Svc-Uploads: pieces` says that the agent can send files to an object store.',
    access: { kind: 'agent' },
    body: body(foundArtifacts, { files: [{ name: 'app.zip', size: 0 }], missing: [] }),
    answers: {
      200: json('What the hub has.', artifactUploads, {
        uploads: [{ file: 0, id: 1, offset: 0, state: 'uploading' }],
      }),
    },
    refusals: ['execution_not_open'],
  },
  appendArtifact: {
    method: 'PUT',
    path: '/agents/artifacts/{id}/{number}',
    summary: 'Append bytes to a file of an execution',
    description: 'For agents, with their token. The body is the bytes.',
    access: { kind: 'agent' },
    query: withOffset,
    answers: { 200: json('How many bytes the hub has.', z.strictObject({ offset: z.int() }), { offset: 0 }) },
    refusals: ['execution_not_open', 'version_conflict', 'payload_too_large'],
  },
  signArtifactPiece: {
    method: 'GET',
    path: '/agents/artifacts/{id}/{number}',
    summary: 'Get the URL for a piece of a file of an execution',
    description: 'For agents, with their token. For hubs that keep artifacts in an object store.',
    access: { kind: 'agent' },
    query: withOffset,
    answers: {
      200: json('Where the piece goes.', artifactPiece, { url: 'https://s3.example.com/files/0' }),
    },
    refusals: ['execution_not_open', 'version_conflict'],
  },
  endArtifact: {
    method: 'POST',
    path: '/agents/artifacts/{id}/{number}',
    summary: 'End the upload of a file',
    description: 'For agents, with their token.',
    access: { kind: 'agent' },
    body: body(artifactEnd, { sha256: SHA256 }),
    answers: {
      200: json('The file as it is now.', z.strictObject({ state: z.enum(['stored', 'missing']) }), {
        state: 'stored',
      }),
    },
    refusals: ['execution_not_open', 'version_conflict'],
  },
} as const satisfies Routes;
