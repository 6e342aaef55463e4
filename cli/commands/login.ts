import { Command } from 'commander';
import type { LoginOptions } from '../login/login.ts';
import { withServiceOptions } from '../service/options.ts';

const HELP = `
Examples:
  svc login
  svc login --base-url https://svc.example.com
  svc login --json      two lines: the URL and code to confirm, then the username

Confirm the sign-in in a browser, on this machine or any other. Afterwards svc call and svc logs need no key for this
service. The token expires in 30 days; svc logout ends it earlier.

Environment:
  SVC_BASE_URL     the URL of the service (default: http://127.0.0.1:8787)
  XDG_CONFIG_HOME  the folder of svc/logins.json, which stores the token (default: ~/.config)

Exit codes:
  0  signed in
  1  denied, not confirmed in time, or the service failed
  2  bad input`;

export function loginCommand(): Command {
  return withServiceOptions(new Command('login'))
    .option('--json', 'print JSON lines')
    .addHelpText('after', HELP)
    .action(async (options: LoginOptions) => {
      const { login } = await import('../login/login.ts');
      await login(options);
    });
}
