import { createInterface } from 'node:readline/promises';
import { Failure } from '../failure.ts';
import { apiOf, orFail } from '../service/api.ts';
import { findServiceOfMember } from '../service/find-service.ts';
import { writeRows } from '../terminal.ts';
import { approvalRows, statusText } from './approval-rows.ts';
import type { DecideOptions } from './options.ts';
import { signApproval, signedRows } from './sign-approval.ts';

/** `svc approvals approve|deny`: shows the approval, asks for confirmation on a terminal, signs if needed, and decides. */
export async function decideApproval(
  decision: 'approve' | 'deny',
  id: string,
  { comment, yes, json, ...where }: DecideOptions,
): Promise<void> {
  const api = apiOf(findServiceOfMember(where, process.env));
  const shown =
    decision === 'approve' || !yes ? await orFail(api.showApproval({ parameters: { id } })) : undefined;
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
