import { z } from 'zod';
import { OWNER } from '../contract/access.ts';
import { empty } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import type { Routes } from '../contract/route.ts';

const deletion = z
  .strictObject({
    username: z
      .string({ error: 'the username of this workspace' })
      .max(100, { error: 'the username of this workspace' })
      .nullable()
      .describe('The username of the workspace, as a confirmation; null: it has none.'),
  })
  .meta({ id: 'WorkspaceDeletion' });

/** Deletion of a workspace (decisions 3, 46 and 48). */
export const workspaceDeletionRouteRows = {
  deleteWorkspace: {
    method: 'POST',
    path: '/workspace/deletion',
    summary: 'Delete the workspace with everything in it',
    description:
      'Cancels running executions and ends keys, tokens, sessions of the owner, streams and connections. Removes executions, output, endpoints, ' +
      'secrets and members. The username is never given out again. The deletion cannot be undone.',
    access: OWNER,
    body: body(deletion, { username: 'ada' }),
    answers: { 204: empty('The workspace is deleted.') },
    refusals: ['rate_limited'],
  },
} as const satisfies Routes;
