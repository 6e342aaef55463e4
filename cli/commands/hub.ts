import { Command } from 'commander';
import type { HubCommandOptions } from '../hub/options.ts';
import { readHost, readPort } from '../serve/options.ts';

const HELP = `
Examples:
  svc hub
  svc hub --port 9000 --host 0.0.0.0
  SVC_HUB_URL=https://svc.example.com DATABASE_URL=postgres://svc@db/svc svc hub
  svc hub --print-config            what the environment comes to, secrets masked

Environment:
  SVC_DATA_DIR         where its data is (default: ~/.local/share/svc)
  DATABASE_URL         PostgreSQL instead of SQLite in the data folder; needs SVC_MASTER_KEY
  SVC_HUB_URL          the address under which people reach it
  SVC_BASE_URL         the address under which endpoints are called (default: SVC_HUB_URL)
  SVC_HOST, SVC_PORT   where it listens, where --host and --port do not say it (default: 127.0.0.1, 8787)
  SMTP_URL             the mail server; without it mails wait in the outbox
  SVC_MAIL_FROM        the sender of mails
  SVC_MASTER_KEY       64 hexadecimal digits; without it one is kept in the data folder
  SVC_MASTER_KEY_OLD   keys before that one, with commas: they open what was sealed with them
  SVC_DEFAULT_PLAN     free, pro, team or unlimited (default)
  SVC_RATE_LIMITS      calls per minute: key=600,public=60,sign_in=10, or off
  SVC_SIGNUP           open (default) or invited
  SVC_OPERATORS        e-mail addresses of the operators, with commas
  SVC_TRUSTED_PROXIES  addresses or networks whose X-Forwarded-For is believed, with commas
  SVC_ALERT_PRIVATE_NETWORKS
                       networks that alerts may go to though they are not public: 10.0.0.0/8,…
  SVC_FORWARD_CAP_S    seconds after which a response ends and its execution goes on (default: 120)
  SVC_DRAIN_S          seconds for which it says that it will stop, and serves, before it stops (default:
                       10 with NATS_URL, else 0)
  SVC_LOG_LEVEL        fatal, error, warn, info (default), debug or silent

SIGTERM and SIGINT stop it: agents move, and what runs goes on with them. A second one hurries it.

Exit codes:
  0  stopped by a signal
  1  something failed while it ran
  2  bad input: an option, a variable, the port`;

export function hubCommand(): Command {
  return new Command('hub')
    .description('run the hub: agents connect to it, callers call it')
    .option('-p, --port <port>', 'the port, 0 for a free one (default: $SVC_PORT or 8787)', readPort)
    .option('--host <address>', 'the address to listen on (default: $SVC_HOST or 127.0.0.1)', readHost)
    .option('--print-config', 'print the configuration and exit')
    .addHelpText('after', HELP)
    .action(async (options: HubCommandOptions) => {
      const { hub } = await import('../hub/hub.ts');
      await hub(options);
    });
}
