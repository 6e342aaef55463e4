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
      .describe('The username of the workspace once more, so that no other is deleted; null: it has none.'),
  })
  .meta({ id: 'WorkspaceDeletion' });

/** The end of a workspace (decisions 3, 46 and 48). */
export const workspaceDeletionRouteRows = {
  deleteWorkspace: {
    method: 'POST',
    path: '/workspace/deletion',
    summary: 'Delete the workspace with everything in it',
    description:
      'What runs is cancelled; keys, tokens, sessions of the owner, streams and connections end. Executions, output, endpoints, ' +
      'secrets and members are removed; the username is never given out again. There is no way back.',
    access: OWNER,
    body: body(deletion, { username: 'ada' }),
    answers: { 204: empty('Nobody finds it any more.') },
  },
} as const satisfies Routes;
