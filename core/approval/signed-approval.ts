import { canonicalJson } from '../api/json/canonical-json.ts';

/** What an approver signs: exactly what an agent will run, for whom, and until when (decision 60). */
export interface ApprovalStatement {
  readonly executionId: string;
  readonly slug: string;
  readonly definitionHash: string;
  /** The values of the call, by argument. */
  readonly args: Readonly<Record<string, string>>;
  /** The agent that runs it. */
  readonly agent: string;
  /** The caller, in the words of the hub: only the hub knows who called. */
  readonly requestedBy: string;
  readonly validUntilMs: number;
}

/** A signature, with the parts of its statement that an order does not have already; as it travels. */
export interface SignedApproval {
  /** The public key, as `approver_keys` has it. */
  readonly key: string;
  /** Ed25519, as base64url. */
  readonly signature: string;
  readonly agent: string;
  readonly requested_by: string;
  readonly valid_until_ms: number;
}

/** An approver signs for the next quarter of an hour: as long as a call that was approved may wait for its agent, and more. */
export const SIGNED_FOR_MS = 15 * 60_000;
/** A signature for longer is refused: agents remember for so long which ones were used. */
export const LONGEST_SIGNED_MS = 24 * 60 * 60_000;

/** Nothing else that is signed with the same key begins with this. */
const PREFIX = 'svc approval 1\n';

/** The text that is signed; the same facts give the same text everywhere. */
export function statementText(statement: ApprovalStatement): string {
  const { executionId, slug, definitionHash, args, agent, requestedBy, validUntilMs } = statement;
  return (
    PREFIX +
    canonicalJson({
      execution_id: executionId,
      endpoint: slug,
      definition_hash: definitionHash,
      args,
      agent,
      requested_by: requestedBy,
      valid_until_ms: validUntilMs,
    })
  );
}

/** Why a signed approval cannot count at this time, by what it says itself; undefined when its signature decides. */
export function signedApprovalProblem(
  { key, valid_until_ms: untilMs }: SignedApproval,
  keys: readonly string[],
  nowMs: number,
): string | undefined {
  if (!keys.includes(key)) return 'it is signed with a key that is not in approver_keys';
  if (nowMs >= untilMs) return `its signature was valid until ${new Date(untilMs).toISOString()}`;
  return untilMs - nowMs > LONGEST_SIGNED_MS ? 'its signature is valid for more than a day' : undefined;
}

/** What was signed, from what is about to run. */
export function signedStatement(
  signed: SignedApproval,
  about: Omit<ApprovalStatement, 'agent' | 'requestedBy' | 'validUntilMs'>,
): ApprovalStatement {
  const { agent, requested_by: requestedBy, valid_until_ms: validUntilMs } = signed;
  return { ...about, agent, requestedBy, validUntilMs };
}
