import { Command } from 'commander';
import type { LoginOptions } from '../login/options.ts';

const HELP = `
Examples:
  svc login
  svc login --base-url https://svc.example.com
  svc login --json      two lines: what to open and which code, then as whom

A page in a browser asks you to agree, on this machine or any other. After that svc call and svc logs need no key for
this service. The token works for 30 days; svc logout ends it before.

Environment:
  SVC_BASE_URL     where the service is (default: http://127.0.0.1:8787)
  XDG_CONFIG_HOME  the token is kept in svc/logins.json there (default: ~/.config)

Exit codes:
  0  signed in
  1  it was refused, nobody agreed in time, or the service failed
  2  bad input`;

export function loginCommand(): Command {
  return new Command('login')
    .description('sign in at a service, with a browser')
    .option('--base-url <url>', 'where the service is (default: $SVC_BASE_URL)')
    .option('--json', 'print JSON lines')
    .addHelpText('after', HELP)
    .action(async (options: LoginOptions) => {
      const { login } = await import('../login/login.ts');
      await login(options);
    });
}
