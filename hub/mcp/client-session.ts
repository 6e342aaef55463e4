import { z } from 'zod';
import type { Vault } from '../platform/world.ts';
import { type AgentPrincipal, openFor, sealFor } from './sealed-state.ts';

/** What a client declared that it can be asked in the middle of a request. */
export type ClientAbility = 'open_url' | 'fill_form' | 'sample';

/** The header of the session id, from 2025-03-26 to 2025-11-25. */
export const SESSION_HEADER = 'Mcp-Session-Id';

const initialize = z.looseObject({
  method: z.literal('initialize'),
  params: z.looseObject({
    capabilities: z.looseObject({
      elicitation: z.looseObject({ url: z.unknown(), form: z.unknown() }).partial().optional(),
      sampling: z.unknown().optional(),
    }),
  }),
});

/**
 * The id of a session for the client that sends this message; undefined: the message is not `initialize`, or its client can be asked
 * nothing.
 *
 * The id holds all of the session, sealed for the principal, so each hub can read it and none stores it (decision 66, tools for AI
 * agents). A session gives no right and never ends: each request still brings its own credential.
 */
export function newSession(vault: Vault, principal: AgentPrincipal, message: unknown): string | undefined {
  const { data } = initialize.safeParse(message);
  if (data === undefined) return undefined;
  const { elicitation, sampling } = data.params.capabilities;
  const canOpenUrls = elicitation?.url !== undefined;
  // Without a mode, the client means forms (revision 2025-11-25, elicitation).
  const canFillForms = elicitation !== undefined && (elicitation.form !== undefined || !canOpenUrls);
  const abilities: ClientAbility[] = [];
  if (canOpenUrls) abilities.push('open_url');
  if (canFillForms) abilities.push('fill_form');
  if (sampling !== undefined) abilities.push('sample');
  return abilities.length === 0 ? undefined : sealFor(vault, principal, 'session', { abilities });
}

/** What the client of a request can be asked. Nothing without a session id, and with a changed one or that of another principal. */
export function abilitiesOf(
  vault: Vault,
  principal: AgentPrincipal,
  { headers }: Pick<Request, 'headers'>,
): ReadonlySet<ClientAbility> {
  const id = headers.get(SESSION_HEADER);
  const opened = id === null ? undefined : openFor(vault, principal, 'session', id);
  return new Set((opened as { abilities: ClientAbility[] } | undefined)?.abilities);
}
