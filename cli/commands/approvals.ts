import { Command } from 'commander';
import type { DecideOptions, ListOptions } from '../approvals/options.ts';
import { readId } from '../service/read-id.ts';

const HELP = `
Examples:
  svc approvals                          what waits for a decision
  svc approvals list --status decided    what was decided, by whom and when
  svc approvals approve 01a1f8f9-...     shows what will run, asks once more, and runs it
  svc approvals approve 01a1f8f9-... --yes --comment 'as agreed'
  svc approvals deny 01a1f8f9-... --comment 'not today'
  svc approvals key                      your public key, for approver_keys in svc.yaml

They use what svc login has kept for the service: an API key may not decide. An endpoint with approver_keys takes only
signed approvals: approve signs with the key in ~/.config/svc/approval-key.pem.

Environment:
  SVC_BASE_URL  where the service is (default: http://127.0.0.1:8787)

Exit codes:
  0  done
  1  the service failed
  2  bad input, or the service refused: it was decided, has expired, or is not yours to decide`;

const SEE = `
Examples, environment and exit codes: see svc approvals --help.`;

export function approvalsCommand(): Command {
  const command = new Command('approvals')
    .description('list calls that wait for approval, and decide on them')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', HELP);
  command
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(decideCommand('approve', 'run a call as it was asked for'))
    .addCommand(decideCommand('deny', 'end a call without running it'))
    .addCommand(keyCommand());
  return command;
}

function listCommand(): Command {
  return new Command('list')
    .description('list approvals, the newest first')
    .option('--status <status>', 'pending_approval, approved, denied, expired or decided', 'pending_approval')
    .option('--endpoint <slug>', 'only those of this endpoint')
    .option('--base-url <url>', 'where the service is (default: $SVC_BASE_URL)')
    .option('--json', 'print one JSON object per approval')
    .addHelpText('after', SEE)
    .action(async (options: ListOptions) => {
      const { listApprovals } = await import('../approvals/list.ts');
      await listApprovals(options);
    });
}

function keyCommand(): Command {
  return new Command('key')
    .description('print your public key for signed approvals, and make the key when there is none')
    .option('--json', 'print {"public_key": …}')
    .addHelpText('after', SEE)
    .action(async (options: { json?: true }) => {
      const { showApprovalKey } = await import('../approvals/key.ts');
      showApprovalKey(options);
    });
}

function decideCommand(decision: 'approve' | 'deny', description: string): Command {
  return new Command(decision)
    .description(description)
    .argument('<approval>', 'its id, as the list shows it', readId)
    .option('--comment <text>', 'for the caller and for the audit log')
    .option('-y, --yes', 'do not ask once more')
    .option('--base-url <url>', 'where the service is (default: $SVC_BASE_URL)')
    .option('--json', 'print the approval as one JSON object')
    .addHelpText('after', SEE)
    .action(async (approval: string, options: DecideOptions) => {
      const { decideApproval } = await import('../approvals/decide.ts');
      await decideApproval(decision, approval, options);
    });
}
