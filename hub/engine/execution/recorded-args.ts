import type { Argument } from '@svc/core/endpoint/definition';
import type { NewExecution } from '../ports/executions.ts';
import type { SealedFor, Vault } from '../ports/world.ts';

type Recorded = Pick<NewExecution, 'args' | 'sealedArgs'>;

/**
 * The arguments of an execution as its record has them: in plain JSON, where a secret value is `null`; and the secret
 * ones sealed, which goes when the agent has them (decision 9).
 */
export function recordArgs(
  vault: Vault,
  { id, workspaceId }: Pick<NewExecution, 'id' | 'workspaceId'>,
  args: readonly Argument[],
  values: ReadonlyMap<string, string>,
): Recorded {
  const secrets = new Set(args.flatMap(({ secret, name }) => (secret && values.has(name) ? [name] : [])));
  const plain = [...values].map(([name, value]) => [name, secrets.has(name) ? null : value]);
  const hidden = [...values].filter(([name]) => secrets.has(name));
  return {
    args: JSON.stringify(Object.fromEntries(plain)),
    sealedArgs:
      hidden.length === 0
        ? undefined
        : vault.seal(JSON.stringify(Object.fromEntries(hidden)), ownerOf({ id, workspaceId })),
  };
}

/** The values to dispatch again; undefined when a secret one is not there any more, or was sealed with a key that is not. */
export function restoreArgs(
  vault: Vault,
  execution: Recorded & Pick<NewExecution, 'id' | 'workspaceId'>,
): Record<string, string> | undefined {
  const values = JSON.parse(execution.args) as Record<string, string | null>;
  const complete = { ...values, ...openArgs(vault, execution) };
  const kept = Object.entries(complete).filter((entry): entry is [string, string] => entry[1] !== null);
  return kept.length === Object.keys(values).length ? Object.fromEntries(kept) : undefined;
}

function openArgs(
  vault: Vault,
  execution: Recorded & Pick<NewExecution, 'id' | 'workspaceId'>,
): Record<string, string> {
  if (execution.sealedArgs === undefined) return {};
  try {
    return JSON.parse(vault.open(execution.sealedArgs, ownerOf(execution))) as Record<string, string>;
  } catch {
    // Of another master key: what it hides is gone, and its execution is refused like one whose values were erased.
    return {};
  }
}

function ownerOf({ id, workspaceId }: Pick<NewExecution, 'id' | 'workspaceId'>): SealedFor {
  return { workspaceId, kind: 'arguments', id };
}
