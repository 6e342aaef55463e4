import type { SignedApproval } from '@svc/core/approval/signed-approval';
import type { Argument } from '@svc/core/endpoint/definition';
import { untilAnswered } from '../platform/until-answered.ts';
import { openJson, sealJson } from '../platform/vault/sealed-json.ts';
import type { Clock, SealedFor, Vault } from '../platform/world.ts';
import type { ExecutionLedger, KeptInput, NewExecution, StepOf } from './execution-ports.ts';
import type { RunningExecutions } from './live/running-executions.ts';

type Recorded = Pick<NewExecution, 'args' | 'sealedArgs'>;
type Owner = Pick<NewExecution, 'id' | 'workspaceId'>;
type Texts = Readonly<Record<string, string>>;
type Step = Pick<StepOf, 'env'>;

/** The arguments of a call, and the variables that a pipeline step sets. */
interface CallValues {
  readonly values: ReadonlyMap<string, string>;
  readonly env?: Texts | undefined;
  /** The body that waits for approval. */
  readonly kept?: KeptInput | undefined;
}

/**
 * The sealed values: secret arguments by name, and, under names that no argument can have, the variables of a step, the JSON of a
 * signed approval, and the body that waits for one.
 *
 * NOTE: A hub that does not know a name with `$` counts it as an argument and finds the record incomplete. So a hub without a spool
 * never dispatches a call without its body.
 */
type Sealed = Texts & {
  readonly $env?: Texts;
  readonly $approval?: string;
  readonly $input?: KeptInput;
};

/**
 * The arguments of an execution for its record: plain JSON, in which a secret value is `null`, and the sealed secret values, which
 * are erased when the agent has them (decision 9, values). Variables of steps may be secret, so all of them are sealed.
 */
export function recordArgs(
  vault: Vault,
  { id, workspaceId }: Owner,
  args: readonly Argument[],
  { values, env = {}, kept }: CallValues,
): Recorded {
  const secrets = new Set(args.flatMap(({ secret, name }) => (secret && values.has(name) ? [name] : [])));
  const plain = [...values].map(([name, value]) => [name, secrets.has(name) ? null : value]);
  const hidden = Object.fromEntries([...values].filter(([name]) => secrets.has(name)));
  const sealed = {
    ...hidden,
    ...(Object.keys(env).length > 0 && { $env: env }),
    ...(kept && { $input: kept }),
  };
  const isNothing = Object.keys(sealed).length === 0;
  return {
    args: JSON.stringify(Object.fromEntries(plain)),
    sealedArgs: isNothing ? undefined : sealJson(vault, sealed, ownerOf({ id, workspaceId })),
  };
}

/** The variables of a step for its record: only their names. */
export function recordEnv(env: Texts): StepOf['env'] {
  return Object.fromEntries(Object.keys(env).map((name) => [name, null]));
}

/** The recorded part of the order for an execution. */
interface RestoredArgs {
  readonly args: Record<string, string>;
  readonly env: Record<string, string>;
  readonly approval?: SignedApproval;
  readonly kept?: KeptInput;
}

/**
 * The sealed part of the record of an execution that was approved with a signature. Its endpoint has no secret argument and
 * accepts no variable, so besides it only a body can be sealed (decision 60, the file is a floor).
 */
export function sealedApproval(vault: Vault, execution: Recorded & Owner, approval: SignedApproval): string {
  const { $input } = openArgs(vault, execution);
  const sealed = { $approval: JSON.stringify(approval), ...($input && { $input }) };
  return sealJson(vault, sealed, ownerOf(execution));
}

/** Restores the values of a record; undefined when a sealed value was erased, or sealed with a master key that is gone. */
export function restoreArgs(
  vault: Vault,
  execution: Recorded & Owner & Pick<NewExecution, 'files'> & { readonly step?: Step | undefined },
): RestoredArgs | undefined {
  const { $env = {}, $approval, $input, ...secrets } = openArgs(vault, execution);
  const args = complete(JSON.parse(execution.args) as StepOf['env'], secrets);
  const env = complete(execution.step?.env ?? {}, $env);
  if (args === undefined || env === undefined) return undefined;
  // The key of the body is gone, and the command must not run without it.
  if (execution.files !== undefined && $input === undefined) return undefined;
  return {
    ...{ args, env },
    ...($approval !== undefined && { approval: JSON.parse($approval) as SignedApproval }),
    ...($input && { kept: $input }),
  };
}

/** Puts the sealed values in their places; undefined if one is missing. */
function complete(recorded: StepOf['env'], sealed: Texts): Record<string, string> | undefined {
  const all = Object.entries({ ...recorded, ...sealed });
  const kept = all.filter((entry): entry is [string, string] => entry[1] !== null);
  return kept.length === Object.keys(recorded).length ? Object.fromEntries(kept) : undefined;
}

function openArgs(vault: Vault, execution: Recorded & Owner): Sealed {
  if (execution.sealedArgs === undefined) return {};
  // With a lost master key the execution is refused like one whose values were erased.
  return openJson<Sealed>(vault, execution.sealedArgs, ownerOf(execution)) ?? {};
}

function ownerOf({ id, workspaceId }: Owner): SealedFor {
  return { workspaceId, kind: 'arguments', id };
}

type EraseDeps = { readonly ledger: ExecutionLedger; readonly clock: Clock } & {
  readonly executions: RunningExecutions;
};

/**
 * Erases the secret arguments of an execution after its agent has received the order: it is never dispatched again
 * (decision 9, values).
 */
export async function eraseArgs(
  { ledger, clock, executions }: EraseDeps,
  executionId: string,
): Promise<void> {
  const running = executions.find(executionId);
  // Storing the end erases them too.
  if (running?.execution.sealedArgs === undefined || running.live.isFinishing) return;
  // The key of the body is needed until the command has read it, perhaps from another hub.
  if (running.execution.files !== undefined) return;
  await untilAnswered(clock, () => ledger.eraseSealedArgs(executionId));
}
