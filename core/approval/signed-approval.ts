import { canonicalJson } from '../api/json/canonical-json.ts';
import type { ApprovedFile } from '../execution/received-file.ts';

/**
 * The statement that an approver signs: what an agent will run, for whom, and until when (decision 60, the file is a
 * floor).
 */
export interface ApprovalStatement {
  readonly executionId: string;
  readonly slug: string;
  readonly definitionHash: string;
  /** The values of the call, by argument. */
  readonly args: Readonly<Record<string, string>>;
  /** The files of the call, or its body (decision 83, bodies that wait for approval). */
  readonly files?: readonly ApprovedFile[];
  /** The name of the agent that runs the call. */
  readonly agent: string;
  /** The name of the caller, as the hub gives it. Only the hub knows the caller. */
  readonly requestedBy: string;
  readonly validUntilMs: number;
}

/** A signature as it travels, with the parts of its statement that an order does not contain. */
export interface SignedApproval {
  /** The public key, in the form of `approver_keys`. */
  readonly key: string;
  /** Ed25519, as base64url. */
  readonly signature: string;
  readonly agent: string;
  readonly requested_by: string;
  readonly valid_until_ms: number;
}

/** A signature is valid for a quarter of an hour. That is longer than an approved call may wait for its agent. */
export const SIGNED_FOR_MS = 15 * 60_000;
/** Agents remember used signatures for this long, so a signature with a longer validity is refused. */
export const LONGEST_SIGNED_MS = 24 * 60 * 60_000;

/** Separates this statement from anything else that is signed with the same key. */
const PREFIX = 'svc approval 1\n';

/** The signed text. The same facts give the same text everywhere. */
export function statementText(statement: ApprovalStatement): string {
  const { executionId, slug, definitionHash, args, files = [], agent, requestedBy, validUntilMs } = statement;
  return (
    PREFIX +
    canonicalJson({
      execution_id: executionId,
      endpoint: slug,
      definition_hash: definitionHash,
      args,
      ...(files.length > 0 && { files: approvedFields(files) }),
      agent,
      requested_by: requestedBy,
      valid_until_ms: validUntilMs,
    })
  );
}

function approvedFields(files: readonly ApprovedFile[]) {
  return files.map(({ argument, bytes, sha256 }) => ({ argument, bytes, sha256 }));
}

/**
 * Why a signed approval is not valid at this time, apart from its signature; undefined if only the signature has to be
 * checked.
 */
export function signedApprovalProblem(
  { key, valid_until_ms: untilMs }: SignedApproval,
  keys: readonly string[],
  nowMs: number,
): string | undefined {
  if (!keys.includes(key)) return 'it is signed with a key that is not in approver_keys';
  if (nowMs >= untilMs) return `its signature was valid until ${new Date(untilMs).toISOString()}`;
  return untilMs - nowMs > LONGEST_SIGNED_MS ? 'its signature is valid for more than a day' : undefined;
}

/** The statement for the call that is about to run. */
export function signedStatement(
  signed: SignedApproval,
  about: Omit<ApprovalStatement, 'agent' | 'requestedBy' | 'validUntilMs'>,
): ApprovalStatement {
  const { agent, requested_by: requestedBy, valid_until_ms: validUntilMs } = signed;
  return { ...about, agent, requestedBy, validUntilMs };
}
