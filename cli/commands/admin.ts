import { Command } from 'commander';
import type {
  AdminOptions,
  CheckOptions,
  RotateKeysOptions,
  RunnerImageOptions,
  SignInLinkOptions,
  VerifyAuditOptions,
} from '../admin/options.ts';
import { hostedNetwork, runnerToken } from './admin-hosted.ts';

const HELP = `
Examples:
  svc admin backup /backup/svc-$(date +%F).db
  svc admin check                               is the data sound?
  svc admin outbox                              mails that wait, when there is no mail server
  svc admin outbox show 01a1f8f9-6cb9-71ed-a31e-d55e8abc609c
  svc admin sign-in-link ada@example.com
  svc admin sign-out ada@example.com
  svc admin plan ada team
  svc admin users --json | jq -r .email
  svc admin verify-audit
  svc admin rotate-keys
  svc admin runner-image build
  svc admin runner-token create "rack 3"         for a host of the hosted runner
  svc admin hosted-network allow ada

They work with the data of the hub, on its machine and as its user, whether it runs or not.

Environment: that of svc hub, see svc hub --help. SVC_DATA_DIR or DATABASE_URL say whose data it is.

Exit codes:
  0  done
  1  the data could not be read or written, or a check found damage
  2  bad input, nothing was done: no such user or mail, a file that exists`;

const EXIT_CODES = `
Environment and exit codes: see svc admin --help.`;

export function adminCommand(): Command {
  const admin = new Command('admin')
    .description('what an operator does on the machine of the hub')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', HELP);
  for (const command of [
    backup(),
    check(),
    outbox(),
    signInLink(),
    signOut(),
    plan(),
    users(),
    verifyAudit(),
    rotateKeys(),
    runnerImage(),
    runnerToken(subcommand),
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

function backup(): Command {
  const examples = [
    '  svc admin backup svc.db.copy',
    '  SVC_DATA_DIR=/var/lib/svc svc admin backup /backup/svc.db --json',
    '',
    'The hub runs on meanwhile, and the copy shows one moment. It gets its name when it is complete and has passed a quick check.',
    'A damaged copy is removed, and the exit code is 1. The copy holds everything but master.key. Keep both: without that key',
    'no secret in the copy can be read. For PostgreSQL, use pg_dump.',
  ];
  return subcommand('backup', 'copy the database while the hub runs', examples.join('\n'))
    .argument('<file>', 'where to; a file that exists is not overwritten')
    .action(async (file: string, options: AdminOptions) => {
      const admin = await import('../admin/backup.ts');
      await admin.backup(file, options);
    });
}

function check(): Command {
  const examples = [
    '  svc admin check',
    '  svc admin check --full --json',
    '',
    'Looks for damage in the database, then walks the audit logs. The hub may run meanwhile. Quick, for SQLite: PRAGMA',
    'quick_check. Full: integrity_check, which also compares indexes with their tables, and foreign keys. For',
    'PostgreSQL both read every row; indexes are checked where the extension amcheck is installed, which --full does in depth.',
    '',
    'Neither sees a changed value in a row whose form is still right, unless PostgreSQL keeps checksums, or it is in an audit log.',
    'Exit code 0: nothing was found. 1: there is damage, or the data cannot be read. With --json, one line for each part:',
    '{"part", "depth", "ok", "findings"}.',
  ];
  return subcommand('check', 'look for damage in the data', examples.join('\n'))
    .option('--full', 'compare indexes with their tables too; takes several times as long')
    .action(async (options: CheckOptions) => {
      const admin = await import('../admin/check.ts');
      await admin.check(options);
    });
}

function outbox(): Command {
  const list = subcommand(
    'outbox',
    'list the mails that wait',
    '  svc admin outbox\n  svc admin outbox show <id>',
  );
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
    'Whoever opens it within 15 minutes is signed in as that address; one without an account gets one.',
  ];
  return subcommand('sign-in-link', 'print a link to sign in', examples.join('\n'))
    .argument('<email>', 'for whom')
    .option('--hub-url <url>', 'where the hub is (default: $SVC_HUB_URL, else where it listens)')
    .action(async (email: string, options: SignInLinkOptions) => {
      const accounts = await import('../admin/accounts.ts');
      await accounts.signInLink(email, options);
    });
}

function signOut(): Command {
  const examples = [
    '  svc admin sign-out ada@example.com',
    '',
    'Ends all sessions and access tokens of that address, for a hub that runs, too. API keys go on.',
  ];
  return subcommand('sign-out', 'sign somebody out everywhere', examples.join('\n'))
    .argument('<email>', 'whom')
    .action(async (email: string, options: AdminOptions) => {
      const accounts = await import('../admin/accounts.ts');
      await accounts.signOut(email, options);
    });
}

function plan(): Command {
  const examples = '  svc admin plan ada team\n\nIt holds within five seconds, also for a hub that runs.';
  return subcommand('plan', 'give a workspace another plan', examples)
    .argument('<username>', 'the username in its URLs')
    .argument('<plan>', 'free, pro, team or unlimited')
    .action(async (username: string, name: string, options: AdminOptions) => {
      const { setPlan } = await import('../admin/accounts.ts');
      await setPlan(username, name, options);
    });
}

function users(): Command {
  return subcommand(
    'users',
    'list everybody who has an account',
    '  svc admin users --json | jq -r .email',
  ).action(async (options: AdminOptions) => {
    const { listUsers } = await import('../admin/accounts.ts');
    await listUsers(options);
  });
}

function verifyAudit(): Command {
  const examples = [
    '  svc admin verify-audit',
    '  svc admin verify-audit --workspace ada --json',
    '',
    'Every entry of an audit log holds the hash of the one before it. This walks the logs and names the first entry of each',
    'that was changed, added or taken out. Exit code 1 when there is one.',
  ];
  return subcommand('verify-audit', 'check that the audit logs are as they were written', examples.join('\n'))
    .option('--workspace <name>', 'only this one: its username, or the id of one that was deleted')
    .action(async (options: VerifyAuditOptions) => {
      const admin = await import('../admin/verify-audit.ts');
      await admin.verifyAudit(options);
    });
}

function rotateKeys(): Command {
  const examples = [
    '  svc admin rotate-keys                          a new master key; the old one stays, to open backups',
    '  svc admin rotate-keys --drop-old               later: forget the old one',
    '  openssl rand -hex 32 > new.key && svc admin rotate-keys --new-key-file new.key',
    '',
    'Everything that is sealed is taken over by a new master key while hubs run. It can be ended at any time: the next run',
    'goes on where that one was. Where the key is in SVC_MASTER_KEY, put the new one there and the old one into',
    'SVC_MASTER_KEY_OLD, for every hub, then run this with the same environment: docs/operate/hub.md has the steps.',
  ];
  return subcommand('rotate-keys', 'change the master key', examples.join('\n'))
    .option('--new-key-file <file>', 'the new key, 64 hexadecimal digits; without it one is made')
    .option('--drop-old', 'make no new key, and forget older ones when nothing needs them')
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
    'What containers of the hosted runner are made of, from Debian packages and without a registry of images. It needs root',
    'and mmdebstrap, a minute or less, and 600 MB. One that is there and intact stays. docs/operate/hosting.md has the rest.',
  ];
  const build = subcommand('build', 'build the image of the hosted runner', examples.join('\n'))
    .option('--image <folder>', 'where to (default: in the data of the hub)')
    .option('--sources <file>', 'apt sources to install from (default: those of this machine)')
    // The outer command takes --json, wherever it stands.
    .action(async (_options: RunnerImageOptions, command: Command) => {
      const { buildImage } = await import('../admin/runner-image.ts');
      await buildImage(command.optsWithGlobals());
    });
  return new Command('runner-image').description('the image of the hosted runner').addCommand(build);
}
