import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import { type Exposing, nextExposure, type SecretExposure, UNNAMED_SECRETS } from '@svc/core/secret/grant';
import type { CurrentEndpoint } from './plan-registration.ts';

/** `$svc:NAME` in a command. A false match only asks one question too many. */
const NAMED = /\$svc:([A-Za-z_][A-Za-z0-9_]{0,63})/g;

/** What the file of an agent has opened to the public or to the clock; undefined: nothing, or it was made through the API. */
export function exposureOf(row: CurrentEndpoint): SecretExposure | undefined {
  if (row.source === 'api') return undefined;
  if (row.secret_exposure !== null) return JSON.parse(row.secret_exposure) as SecretExposure;
  // Stored before this was noted, or by an older hub.
  return nextExposure(undefined, exposing(row.definition), row.created_at_ms);
}

/** The same for the next version of its definition, as it is stored. */
export function exposureText(
  before: SecretExposure | undefined,
  definition: string,
  nowMs: number,
): string | null {
  const exposure = nextExposure(before, exposing(definition), nowMs);
  return exposure === undefined ? null : JSON.stringify(exposure);
}

/** Only what the file says: what was overridden through the API was decided by a member. */
function exposing(text: string): Exposing {
  const definition = JSON.parse(text) as Record<string, unknown>;
  const command = typeof definition.command === 'string' ? definition.command : '';
  const named = [...command.matchAll(NAMED)].flatMap(([, name]) => name ?? []);
  // A hosted command gets all secrets of the hosted runner, whether it names them or not.
  const unnamed = definition.agent_name === HOSTED_AGENT ? [UNNAMED_SECRETS] : [];
  return {
    secrets: [...new Set([...named, ...unnamed])],
    isPublic: definition.public === true,
    isScheduled: typeof definition.schedule === 'string',
  };
}
