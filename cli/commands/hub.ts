import { Command } from 'commander';
import type { HubCommandOptions } from '../hub/hub.ts';
import type { HubInstallOptions } from '../install/hub.ts';
import { readHost, readPort } from '../serve/options.ts';

const HELP = `
Examples:
  svc hub
  svc hub --port 9000 --host 0.0.0.0
  SVC_HUB_URL=https://svc.example.com DATABASE_URL=postgres://svc@db/svc svc hub
  svc hub --print-config            print the configuration, secrets masked
  svc hub install --help            install it as a service of this machine

Environment:
  SVC_DATA_DIR         the data folder (default: ~/.local/share/svc)
  SVC_ARTIFACTS_DIR    files of executions; several hubs share it (default: artifacts in the data folder)
  SVC_S3_ENDPOINT      an object store for these files, with SVC_S3_BUCKET, SVC_S3_REGION, SVC_S3_PREFIX,
                       SVC_S3_ACCESS_KEY_ID and SVC_S3_SECRET_ACCESS_KEY
  SVC_S3_ENCRYPTION    key: the store encrypts each object with a key that comes from the master key (default: off)
  DATABASE_URL         PostgreSQL instead of SQLite in the data folder; needs SVC_MASTER_KEY
  SVC_HUB_URL          the public URL of the hub
  SVC_BASE_URL         the public URL of endpoints (default: SVC_HUB_URL)
  SVC_HOST, SVC_PORT   the listening address, without --host and --port (default: 127.0.0.1, 8787)
  SMTP_URL             the mail server; without one, mails stay in the outbox
  SVC_MAIL_FROM        the sender of mails
  SVC_MASTER_KEY       64 hexadecimal digits (default: a key in the data folder)
  SVC_MASTER_KEY_OLD   previous master keys, separated by commas, for decryption only
  SVC_DEFAULT_PLAN     free, pro, team or unlimited (default)
  SVC_RATE_LIMITS      calls per minute: key=600,public=60,sign_in=10, or off
  SVC_SCIM_WORKSPACES  the workspaces that may be provisioned by SCIM; * for all
  SVC_OWN_WORKSPACES   how many workspaces a person may own by creating them (default: 5)
  SVC_SIGNUP           open (default) or invited
  SVC_OIDC_ISSUER, SVC_OIDC_CLIENT_ID, SVC_OIDC_CLIENT_SECRET
                       the OpenID provider at which people sign in
  SVC_OIDC_NAME        its name on the sign-in page
  SVC_OIDC_SCOPES      what the hub asks it for (default: openid email profile)
  SVC_OIDC_EMAIL_VERIFIED
                       claim (default), or always for a provider that never says so
  SVC_OIDC_GROUPS_CLAIM, SVC_OIDC_GROUPS_WORKSPACES
                       the claim with a person's groups, and the usernames of the workspaces
                       whose owners may give them roles, separated by commas; * for all
  SVC_OUTPUT_SEARCH    off: stored output is not indexed and not searched (default: on)
  SVC_MCP_DCR          on: AI clients may register themselves (default: off)
  SVC_OPERATORS        email addresses of the operators, separated by commas
  SVC_TRUSTED_PROXIES  addresses or networks whose X-Forwarded-For is trusted, separated by commas
  SVC_ALERT_PRIVATE_NETWORKS
                       private networks that alerts may reach: 10.0.0.0/8,…
  SVC_FORWARD_CAP_S    seconds after which a response ends while its execution continues (default: 120)
  SVC_DRAIN_S          seconds between the announcement of a stop and the stop (default: 10 with
                       NATS_URL, else 0)
  SVC_LOG_LEVEL        fatal, error, warn, info (default), debug or silent

SIGTERM and SIGINT stop the hub: agents move to another hub, and their executions continue. A second signal stops it faster.

Exit codes:
  0  stopped by a signal
  1  a failure at run time
  2  bad input: an option, a variable, the port`;

export function hubCommand(): Command {
  return new Command('hub')
    .enablePositionalOptions()
    .addCommand(hubInstallCommand())
    .option('-p, --port <port>', 'the port, 0 for a free one (default: $SVC_PORT or 8787)', readPort)
    .option('--host <address>', 'the address to listen on (default: $SVC_HOST or 127.0.0.1)', readHost)
    .option('--print-config', 'print the configuration and exit')
    .addHelpText('after', HELP)
    .action(async (options: HubCommandOptions) => {
      const { hub } = await import('../hub/hub.ts');
      await hub(options);
    });
}

const INSTALL_HELP = `
Examples:
  svc hub install --hub-url https://svc.example.com
  svc hub install --hub-url http://192.0.2.10:8787 --host 0.0.0.0
  svc hub install --dry-run --hub-url https://svc.example.com
  svc hub install --uninstall

On Linux with systemd, as root: makes the user svc-hub, writes /etc/svc/hub.env and the hardened unit, starts the service
and waits until the hub is healthy. Other settings go into /etc/svc/hub.env (svc hub --help). A second run changes only
the settings that differ. The hub stores its data in /var/lib/svc-hub. --uninstall does not delete this folder.

Exit codes:
  0  the hub is healthy, or with --uninstall removed
  1  the hub was not healthy within 30 seconds, or a failure at run time
  2  bad input; nothing was changed`;

function hubInstallCommand(): Command {
  return new Command('install')
    .description('install the hub as a service of this machine')
    .option('--hub-url <url>', 'the public URL of the hub (default: the installed one)')
    .option('-p, --port <port>', 'the port (default: the installed one, else 8787)', readPort)
    .option(
      '--host <address>',
      'the address to listen on (default: the installed one, else 127.0.0.1)',
      readHost,
    )
    .option('--root <folder>', 'install into the image of a system in this folder; nothing is started', '/')
    .option('--dry-run', 'print what would be done, and change nothing')
    .option('--uninstall', 'stop the hub and remove its unit and user; settings and data stay')
    .addHelpText('after', INSTALL_HELP)
    .action(async (options: HubInstallOptions) => {
      const { installHub } = await import('../install/hub.ts');
      await installHub(options);
    });
}
