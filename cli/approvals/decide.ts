import { createInterface } from 'node:readline/promises';
import { Failure } from '../failure.ts';
import { apiOf, orFail } from '../service/api.ts';
import { findServiceOfMember } from '../service/find-service.ts';
import { writeRows } from '../terminal.ts';
import { approvalRows, statusText } from './approval-rows.ts';
import type { DecideOptions } from './options.ts';
import { signApproval, signedRows } from './sign-approval.ts';

/** `svc approvals approve|deny`: shows what it is about, asks once more on a terminal, signs where that is needed, and decides. */
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
    await confirm(decision === 'approve' ? 'Approve and run it?' : 'Deny it?');
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

/** Without a terminal nobody can be asked. */
async function confirm(question: string): Promise<void> {
  if (process.stdin.isTTY !== true)
    throw new Failure('nobody can be asked: this is no terminal', { tip: 'the same with --yes' });
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`${question} [y/N] `);
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new Failure('nothing was decided');
  } finally {
    lines.close();
  }
}
