import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import { type Exposing, nextExposure, type SecretExposure, UNNAMED_SECRETS } from '@svc/core/secret/grant';
import type { CurrentEndpoint } from './plan-registration.ts';

/** Matches `$svc:NAME` in a command. A false match only causes a needless question to an admin. */
const NAMED = /\$svc:([A-Za-z_][A-Za-z0-9_]{0,63})/g;

/** The secrets that an agent's file exposes to public calls or schedules; undefined: none, or an endpoint of the API. */
export function exposureOf(row: CurrentEndpoint): SecretExposure | undefined {
  if (row.source === 'api') return undefined;
  if (row.secret_exposure !== null) return JSON.parse(row.secret_exposure) as SecretExposure;
  // The row is older than this column, or an older hub wrote it.
  return nextExposure(undefined, exposing(row.definition), row.created_at_ms);
}

/** The exposure of the next version, as stored. */
export function exposureText(
  before: SecretExposure | undefined,
  definition: string,
  nowMs: number,
): string | null {
  const exposure = nextExposure(before, exposing(definition), nowMs);
  return exposure === undefined ? null : JSON.stringify(exposure);
}

/** Considers only the file, because a member decided on overrides through the API. */
function exposing(text: string): Exposing {
  const definition = JSON.parse(text) as Record<string, unknown>;
  const command = typeof definition.command === 'string' ? definition.command : '';
  const named = [...command.matchAll(NAMED)].flatMap(([, name]) => name ?? []);
  // A hosted command gets all secrets for the hosted runner, named or not.
  const unnamed = definition.agent_name === HOSTED_AGENT ? [UNNAMED_SECRETS] : [];
  return {
    secrets: [...new Set([...named, ...unnamed])],
    isPublic: definition.public === true,
    isScheduled: typeof definition.schedule === 'string',
  };
}
