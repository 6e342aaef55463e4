import { createInterface } from 'node:readline/promises';
import { SIGNED_FOR_MS, type SignedApproval } from '@svc/core/approval/signed-approval';
import { visibleText } from '@svc/core/text/visible-text';
import { Failure } from '../failure.ts';
import { apiOf, orFail } from '../service/api.ts';
import { findServiceOfMember } from '../service/find-service.ts';
import type { ServiceOptions } from '../service/options.ts';
import { type FactRow, writeRows } from '../terminal.ts';
import { ApprovalKey } from './approval-key.ts';
import { approvalRows, type ShownApproval, statusText } from './approval-rows.ts';

/** `svc approvals approve|deny`: shows the approval, asks for confirmation on a terminal, signs if needed, and decides. */
export async function decideApproval(
  decision: 'approve' | 'deny',
  id: string,
  { comment, yes, json, ...where }: DecideOptions,
): Promise<void> {
  const api = apiOf(findServiceOfMember(where, process.env));
  const shown =
    decision === 'approve' || !yes ? await orFail(api.showApproval({ parameters: { id } })) : undefined;
  if (decision === 'approve' && shown?.needs_passkey)
    throw new Failure(`"${shown.endpoint}" needs a passkey to approve, and only a browser can ask for it`, {
      tip: `open ${shown.approve_url ?? 'the dashboard'}`,
    });
  const signed = decision === 'approve' && shown !== undefined ? signApproval(shown) : undefined;
  if (!yes && shown !== undefined) {
    writeRows(process.stderr, [...approvalRows(shown), ...(signed === undefined ? [] : signedRows(shown))]);
    await confirm(decision === 'approve' ? 'Approve and run?' : 'Deny?');
  }
  const body = {
    decision,
    ...(comment === undefined ? {} : { comment }),
    ...(signed === undefined ? {} : { signed }),
  };
  const decided = await orFail(api.decideApproval({ parameters: { id }, body }));
  if (json) {
    process.stdout.write(`${JSON.stringify(decided)}\n`);
    return;
  }
  const follow = { label: 'follow', text: `svc logs ${decided.execution_id}` };
  writeRows(process.stdout, [
    { label: decided.endpoint, text: statusText(decided) },
    ...(decision === 'approve' ? [follow] : []),
  ]);
}

/** Asks on the terminal; without one throws a `Failure`. */
async function confirm(question: string): Promise<void> {
  if (process.stdin.isTTY !== true)
    throw new Failure('cannot ask for confirmation: standard input is not a terminal', { tip: 'add --yes' });
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`${question} [y/N] `);
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new Failure('cancelled: nothing was decided');
  } finally {
    lines.close();
  }
}

/**
 * The signed statement. The agent compares it with what it would run, whatever the service shows (decision 60, the file is
 * a floor).
 */
function signedRows({ to_sign: toSign, endpoint }: ShownApproval): FactRow[] {
  if (toSign === null) return [];
  const values = Object.entries(toSign.args).map(([name, value]) => `${name}=${visibleText(value)}`);
  const what = `"${endpoint}" as defined in svc.yaml of agent "${visibleText(toSign.agent)}"`;
  const files = (toSign.files ?? []).map(
    ({ argument, bytes, sha256 }) => `${argument} of ${bytes} bytes, SHA-256 ${sha256}`,
  );
  return [{ label: 'you sign', text: `${what}, with ${[...values, ...files].join(', ') || 'no values'}` }];
}

/** The signature for an approval; undefined: none is needed. */
function signApproval(approval: ShownApproval): SignedApproval | undefined {
  const { to_sign: toSign, endpoint: slug, execution_id: executionId } = approval;
  if (toSign === null) return undefined;
  const key = ApprovalKey.read(process.env);
  if (!toSign.keys.includes(key.publicKey))
    throw new Failure(`"${slug}" does not list your key in approver_keys: ${key.publicKey}`);
  return key.sign({
    executionId,
    slug,
    definitionHash: toSign.definition_hash,
    args: toSign.args,
    files: toSign.files ?? [],
    agent: toSign.agent,
    requestedBy: toSign.requested_by,
    validUntilMs: Date.now() + SIGNED_FOR_MS,
  });
}

type Options = Omit<ServiceOptions, 'apiKey'>;

export interface ListOptions extends Options {
  readonly status: string;
  readonly endpoint?: string;
}

export interface DecideOptions extends Options {
  readonly comment?: string;
  readonly yes?: true;
}
