import type { JsonObject } from '@svc/core/pipeline/reference/json-value';
import { openJson, sealJson } from '../../platform/vault/sealed-json.ts';
import type { SealedFor, Vault } from '../../platform/world.ts';
import type { RecordedInput, RunFacts } from './run-ports.ts';

type Owner = Pick<RunFacts, 'id' | 'workspaceId'>;

/**
 * The stored input of a run. It is sealed, because senders include secrets. The fields for secret arguments are stored separately
 * and removed when the run ends (decision 9, values of a call; decision 26, limits).
 */
export function recordInput(
  vault: Vault,
  run: Owner,
  input: JsonObject,
  secretFields: ReadonlySet<string>,
): RecordedInput {
  const isSecret = ([name]: readonly [string, unknown]) => secretFields.has(name);
  const fields = Object.entries(input);
  const secrets = fields.filter(isSecret);
  const shown = fields.map((field) => (isSecret(field) ? [field[0], null] : field));
  return {
    kind: 'sealed',
    fields: sealJson(vault, Object.fromEntries(shown), ownerOf(run, 'run_input')),
    secrets:
      secrets.length === 0
        ? undefined
        : sealJson(vault, Object.fromEntries(secrets), ownerOf(run, 'run_secrets')),
  };
}

/** The input for people: null for a secret field. Undefined when its key is missing. */
export function shownInput(vault: Vault, run: Owner, recorded: RecordedInput): JsonObject | undefined {
  if (recorded.kind === 'plain') return JSON.parse(recorded.fields) as JsonObject;
  return openJson<JsonObject>(vault, recorded.fields, ownerOf(run, 'run_input'));
}

/** The input for steps; null for a removed secret field. Undefined when its key is missing. */
export function wholeInput(vault: Vault, run: Owner, recorded: RecordedInput): JsonObject | undefined {
  const shown = shownInput(vault, run, recorded);
  if (recorded.kind === 'plain' || recorded.secrets === undefined) return shown;
  return shown && { ...shown, ...openJson<JsonObject>(vault, recorded.secrets, ownerOf(run, 'run_secrets')) };
}

function ownerOf({ id, workspaceId }: Owner, kind: 'run_input' | 'run_secrets'): SealedFor {
  return { workspaceId, kind, id };
}
