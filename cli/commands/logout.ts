import { Command } from 'commander';
import type { LogoutOptions } from '../login/login.ts';
import { withServiceOptions } from '../service/options.ts';

const HELP = `
Examples:
  svc logout
  svc logout --base-url https://svc.example.com
  svc logout --forget     when the service is gone for good

Environment: as for svc login.

Exit codes:
  0  signed out
  1  the service did not respond; nothing was removed
  2  bad input, or not signed in`;

export function logoutCommand(): Command {
  return withServiceOptions(new Command('logout'))
    .option('--forget', 'only remove the local token')
    .option('--json', 'print one JSON line')
    .addHelpText('after', HELP)
    .action(async (options: LogoutOptions) => {
      const { logout } = await import('../login/login.ts');
      await logout(options);
    });
}
