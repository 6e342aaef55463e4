import { Command } from 'commander';
import type { DecideOptions, ListOptions } from '../approvals/decide.ts';
import { MEMBER_ENVIRONMENT, withServiceOptions } from '../service/options.ts';
import { readId } from '../service/read-id.ts';

const HELP = `
Examples:
  svc approvals                          list pending approvals
  svc approvals list --status decided    list decisions with approver and time
  svc approvals approve 01a1f8f9-...     show the command, confirm, and run it
  svc approvals approve 01a1f8f9-... --yes --comment 'as agreed'
  svc approvals deny 01a1f8f9-... --comment 'not today'
  svc approvals key                      print your public key, for approver_keys in svc.yaml

An API key cannot decide. An endpoint with approver_keys accepts only signed approvals:
approve signs with the key in ~/.config/svc/approval-key.pem.

${MEMBER_ENVIRONMENT}

Exit codes:
  0  success
  1  the service failed
  2  bad input, or the service refused: already decided, expired, or you are not an approver`;

const SEE = `
Examples, environment and exit codes: see svc approvals --help.`;

export function approvalsCommand(): Command {
  const command = new Command('approvals')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', HELP);
  command
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(decideCommand('approve', 'approve a call and run it'))
    .addCommand(decideCommand('deny', 'deny a call'))
    .addCommand(keyCommand());
  return command;
}

function listCommand(): Command {
  return withServiceOptions(new Command('list'))
    .description('list approvals, latest first')
    .option('--status <status>', 'pending_approval, approved, denied, expired or decided', 'pending_approval')
    .option('--endpoint <slug>', 'only those of this endpoint')
    .option('--json', 'print one JSON object per approval')
    .addHelpText('after', SEE)
    .action(async (options: ListOptions) => {
      const { listApprovals } = await import('../approvals/list.ts');
      await listApprovals(options);
    });
}

function keyCommand(): Command {
  return new Command('key')
    .description('print your public key for signed approvals; creates the key if there is none')
    .option('--json', 'print {"public_key": …}')
    .addHelpText('after', SEE)
    .action(async (options: { json?: true }) => {
      const { showApprovalKey } = await import('../approvals/approval-key.ts');
      showApprovalKey(options);
    });
}

function decideCommand(decision: 'approve' | 'deny', description: string): Command {
  return withServiceOptions(new Command(decision))
    .description(description)
    .argument('<approval>', 'the approval id from the list', readId)
    .option('--comment <text>', 'a comment for the caller and the audit log')
    .option('-y, --yes', 'skip the confirmation')
    .option('--json', 'print the approval as one JSON object')
    .addHelpText('after', SEE)
    .action(async (approval: string, options: DecideOptions) => {
      const { decideApproval } = await import('../approvals/decide.ts');
      await decideApproval(decision, approval, options);
    });
}
