import { Command } from 'commander';
import type { HubInstallOptions } from '../install/hub.ts';
import { readHost, readPort } from '../serve/options.ts';

const HELP = `
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

export function hubInstallCommand(): Command {
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
    .addHelpText('after', HELP)
    .action(async (options: HubInstallOptions) => {
      const { installHub } = await import('../install/hub.ts');
      await installHub(options);
    });
}
