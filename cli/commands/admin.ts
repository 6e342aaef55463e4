import { Command } from 'commander';
import type {
  AdminOptions,
  BootstrapOptions,
  CheckOptions,
  CopyOptions,
  RotateKeysOptions,
  RunnerImageOptions,
  SignInLinkOptions,
  VerifyAuditOptions,
} from '../admin/options.ts';
import { hostedNetwork, runnerTokenCommand } from './admin-hosted.ts';

const HELP = `
Examples:
  svc admin bootstrap ada@example.com --username ada
  svc admin backup /backup/svc-$(date +%F).db
  svc admin check                               check the data for damage
  svc admin copy --to @postgres-url             move a SQLite hub to PostgreSQL
  svc admin outbox                              list unsent mails, without a mail server
  svc admin outbox show 01a1f8f9-6cb9-71ed-a31e-d55e8abc609c
  svc admin sign-in-link ada@example.com
  svc admin sign-out ada@example.com
  svc admin reset-second-factor ada@example.com
  svc admin plan ada team
  svc admin users --json | jq -r .email
  svc admin verify-audit
  svc admin rotate-keys
  svc admin runner-image build
  svc admin runner-token create "rack 3"         for a host of the hosted runner
  svc admin hosted-network allow ada

Run these commands on the machine of the hub and as its user, whether the hub runs or not.

Environment: as for svc hub, see svc hub --help. SVC_DATA_DIR or DATABASE_URL selects the data.

Exit codes:
  0  success
  1  the data could not be read or written, or a check found damage
  2  bad input, nothing was done: no such user or mail, or the file exists`;

const EXIT_CODES = `
Environment and exit codes: see svc admin --help.`;

export function adminCommand(): Command {
  const admin = new Command('admin')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', HELP);
  for (const command of [
    bootstrap(),
    backup(),
    check(),
    copy(),
    outbox(),
    signInLink(),
    signOut(),
    resetSecondFactor(),
    plan(),
    users(),
    verifyAudit(),
    rotateKeys(),
    runnerImage(),
    runnerTokenCommand(subcommand),
    hostedNetwork(subcommand),
  ])
    admin.addCommand(command);
  return admin;
}

function subcommand(name: string, description: string, examples: string): Command {
  return new Command(name)
    .description(description)
    .option('--json', 'print JSON lines')
    .addHelpText('after', `\nExamples:\n${examples}\n${EXIT_CODES}`);
}

function bootstrap(): Command {
  const examples = [
    '  svc admin bootstrap ada@example.com --username ada',
    '  svc admin bootstrap ada@example.com --username ada --write-to .',
    '  eval "$(svc admin bootstrap ada@example.com --username ada --json | jq -r \'"export SVC_ACCESS_TOKEN=" + .access_token\')"',
    '',
    'Creates the account if there is none, sets the username, which is part of the URLs of its endpoints, and makes an access',
    'token (12 hours), an agent token and an API key. Each token is shown once. For an account that has this username, it makes',
    'new tokens. With --write-to, the sign-in link and the tokens go to the files sign-in-link, access-token, agent-token and',
    'api-key, which only you can read, and none of them is printed.',
  ];
  return subcommand('bootstrap', 'create an account with its first tokens', examples.join('\n'))
    .argument('<email>', 'the address of the account')
    .requiredOption('--username <name>', 'the username, which can never change')
    .option('--hub-url <url>', 'the URL of the hub (default: $SVC_HUB_URL, else its listening address)')
    .option(
      '--write-to <folder>',
      'write the link and the tokens to files in this folder, and print their paths',
    )
    .action(async (email: string, options: BootstrapOptions) => {
      const admin = await import('../admin/bootstrap.ts');
      await admin.bootstrap(email, options);
    });
}

function copy(): Command {
  const examples = [
    '  svc admin copy --to @postgres-url',
    '  svc admin copy --to postgres://svc@db/svc     a URL without a password',
    '',
    'Moves the data of a SQLite hub to an empty PostgreSQL database, in one transaction. Stop the hub first. Afterwards the',
    'command compares the number of rows of each table and verifies the audit logs in PostgreSQL. The SQLite file does not change.',
    'Then start the hub with DATABASE_URL, and with SVC_MASTER_KEY set to the first line of master.key. Exit code 1: a check',
    'failed, and PostgreSQL is empty again.',
  ];
  return subcommand('copy', 'copy the data of a SQLite hub to PostgreSQL', examples.join('\n'))
    .requiredOption('--to <url>', 'the database: postgres://…, @file, or - for standard input')
    .action(async (options: CopyOptions) => {
      const admin = await import('../admin/data.ts');
      await admin.copy(options);
    });
}

function backup(): Command {
  const examples = [
    '  svc admin backup svc.db.copy',
    '  SVC_DATA_DIR=/var/lib/svc svc admin backup /backup/svc.db --json',
    '',
    'The hub keeps running, and the copy is a consistent snapshot. The file appears when the copy is complete and has passed',
    'a quick check. A damaged copy is removed, and the exit code is 1. The copy holds everything except master.key. Keep both:',
    'secrets in the copy cannot be read without that key. For PostgreSQL, use pg_dump.',
  ];
  return subcommand('backup', 'copy the database while the hub runs', examples.join('\n'))
    .argument('<file>', 'the target; an existing file is not overwritten')
    .action(async (file: string, options: AdminOptions) => {
      const admin = await import('../admin/data.ts');
      await admin.backup(file, options);
    });
}

function check(): Command {
  const examples = [
    '  svc admin check',
    '  svc admin check --full --json',
    '',
    'Checks the database for damage, then verifies the audit logs. The hub may keep running. SQLite: PRAGMA quick_check,',
    'with --full integrity_check, which also compares indexes with their tables, and foreign keys. PostgreSQL: reads every',
    'row; checks indexes if the extension amcheck is installed, with --full in depth.',
    '',
    'Neither check finds a changed value in a well-formed row, unless PostgreSQL keeps checksums or the row is in an audit log.',
    'Exit code 0: no damage found. 1: damage, or the data cannot be read. With --json, one line per part:',
    '{"part", "depth", "ok", "findings"}.',
  ];
  return subcommand('check', 'check the data for damage', examples.join('\n'))
    .option('--full', 'also compare indexes with their tables; takes several times as long')
    .action(async (options: CheckOptions) => {
      const admin = await import('../admin/data.ts');
      await admin.check(options);
    });
}

function outbox(): Command {
  const list = subcommand('outbox', 'list unsent mails', '  svc admin outbox\n  svc admin outbox show <id>');
  const show = subcommand(
    'show',
    'print one mail',
    '  svc admin outbox show 01a1f8f9-6cb9-71ed-a31e-d55e8abc609c',
  )
    .argument('<id>', 'the id from the list')
    // The outer command takes --json, wherever it stands.
    .action(async (id: string, _options: AdminOptions, command: Command) => {
      const { showMail } = await import('../admin/outbox.ts');
      await showMail(id, command.optsWithGlobals());
    });
  return list.addCommand(show).action(async (options: AdminOptions) => {
    const { listOutbox } = await import('../admin/outbox.ts');
    await listOutbox(options);
  });
}

function signInLink(): Command {
  const examples = [
    '  svc admin sign-in-link ada@example.com',
    '  svc admin sign-in-link ada@example.com --hub-url http://127.0.0.1:9000',
    '',
    'The link signs in as that address and works for 15 minutes. It creates an account if there is none.',
  ];
  return subcommand('sign-in-link', 'print a sign-in link', examples.join('\n'))
    .argument('<email>', 'the address to sign in')
    .option('--hub-url <url>', 'the URL of the hub (default: $SVC_HUB_URL, else its listening address)')
    .action(async (email: string, options: SignInLinkOptions) => {
      const accounts = await import('../admin/accounts.ts');
      await accounts.signInLink(email, options);
    });
}

function signOut(): Command {
  const examples = [
    '  svc admin sign-out ada@example.com',
    '',
    'Ends all sessions and access tokens of that address, also on a running hub. API keys keep working.',
  ];
  return subcommand('sign-out', 'sign a person out everywhere', examples.join('\n'))
    .argument('<email>', 'the address to sign out')
    .action(async (email: string, options: AdminOptions) => {
      const accounts = await import('../admin/accounts.ts');
      await accounts.signOutUser(email, options);
    });
}

function resetSecondFactor(): Command {
  const examples = [
    '  svc admin reset-second-factor ada@example.com',
    '',
    'For a person who has lost their passkeys and recovery codes, or whose factor a thief switched on. Check who they are',
    'first: a link by mail is enough to sign in then. It also removes their passkeys and ends their sessions, and the hub mails',
    'them. A workspace that demands a second factor stays closed to them until they switch it on again.',
  ];
  return subcommand('reset-second-factor', "switch a person's second factor off", examples.join('\n'))
    .argument('<email>', 'the address of the person')
    .action(async (email: string, options: AdminOptions) => {
      const accounts = await import('../admin/accounts.ts');
      await accounts.resetSecondFactor(email, options);
    });
}

function plan(): Command {
  const examples = '  svc admin plan ada team\n\nTakes effect within five seconds, also on a running hub.';
  return subcommand('plan', 'change the plan of a workspace', examples)
    .argument('<username>', 'the username in its URLs')
    .argument('<plan>', 'free, pro, team or unlimited')
    .action(async (username: string, name: string, options: AdminOptions) => {
      const { setPlan } = await import('../admin/accounts.ts');
      await setPlan(username, name, options);
    });
}

function users(): Command {
  return subcommand('users', 'list all accounts', '  svc admin users --json | jq -r .email').action(
    async (options: AdminOptions) => {
      const { listUsers } = await import('../admin/accounts.ts');
      await listUsers(options);
    },
  );
}

function verifyAudit(): Command {
  const examples = [
    '  svc admin verify-audit',
    '  svc admin verify-audit --workspace ada --json',
    '',
    'Every audit log entry holds the hash of the previous one. This command reports the first entry of each log that was',
    'changed, added or removed. Exit code 1 if there is one.',
  ];
  return subcommand('verify-audit', 'verify the hash chain of the audit logs', examples.join('\n'))
    .option('--workspace <name>', 'only one workspace: its username, or the id of a deleted one')
    .action(async (options: VerifyAuditOptions) => {
      const admin = await import('../admin/verify-audit.ts');
      await admin.verifyAudit(options);
    });
}

function rotateKeys(): Command {
  const examples = [
    '  svc admin rotate-keys                          create a new master key; keep the old one for backups',
    '  svc admin rotate-keys --drop-old               later: drop the old key',
    '  openssl rand -hex 32 > new.key && svc admin rotate-keys --new-key-file new.key',
    '',
    'Encrypts all secrets with a new master key while hubs run. You can interrupt the command: the next run continues.',
    'If the key is in SVC_MASTER_KEY, set the new key there and the old one in SVC_MASTER_KEY_OLD on every hub, then run',
    'this command with the same environment. With SVC_S3_ENCRYPTION=key it also needs the SVC_S3_... variables of the hub.',
    'docs/operate/hub.md lists the steps.',
  ];
  return subcommand('rotate-keys', 'change the master key', examples.join('\n'))
    .option('--new-key-file <file>', 'the new key, 64 hexadecimal digits (default: a random key)')
    .option('--drop-old', 'create no new key, and drop unused older ones')
    .action(async (options: RotateKeysOptions) => {
      const admin = await import('../admin/rotate-keys.ts');
      await admin.rotateKeys(options);
    });
}

function runnerImage(): Command {
  const examples = [
    '  svc admin runner-image build',
    '  svc admin runner-image build --image /srv/runner-image --sources mirror.sources',
    '',
    'Builds the image of hosted containers from Debian packages, without an image registry. Needs root, mmdebstrap, up to a',
    'minute and 600 MB. An intact image is kept. See docs/operate/hosting.md.',
  ];
  const build = subcommand('build', 'build the image of the hosted runner', examples.join('\n'))
    .option('--image <folder>', 'the target folder (default: in the data folder of the hub)')
    .option('--sources <file>', 'apt sources to install from (default: those of this machine)')
    // The outer command takes --json, wherever it stands.
    .action(async (_options: RunnerImageOptions, command: Command) => {
      const { buildImage } = await import('../admin/runner-image.ts');
      await buildImage(command.optsWithGlobals());
    });
  return new Command('runner-image').description('manage the image of the hosted runner').addCommand(build);
}
