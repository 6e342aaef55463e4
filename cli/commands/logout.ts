import { Command } from 'commander';
import type { LogoutOptions } from '../login/options.ts';

const HELP = `
Examples:
  svc logout
  svc logout --base-url https://svc.example.com
  svc logout --forget     when the service is gone for good

Environment: that of svc login.

Exit codes:
  0  signed out
  1  the service could not be told; nothing was removed
  2  bad input, or nobody was signed in`;

export function logoutCommand(): Command {
  return new Command('logout')
    .description('end what svc login has got from a service')
    .option('--base-url <url>', 'where the service is (default: $SVC_BASE_URL)')
    .option('--forget', 'only remove the token here, without telling the service')
    .option('--json', 'print one JSON line')
    .addHelpText('after', HELP)
    .action(async (options: LogoutOptions) => {
      const { logout } = await import('../login/logout.ts');
      await logout(options);
    });
}
