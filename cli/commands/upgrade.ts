import { Command } from 'commander';
import type { UpgradeOptions } from '../upgrade/upgrade.ts';

const HELP = `
Examples:
  svc upgrade --check          say whether there is a newer version
  sudo svc upgrade
  sudo svc upgrade --to 1.2.3  install this version, which may be an earlier one

Downloads the newest release, verifies its signature with the key in this program and the digest of the file, tries the
new program, and then puts it in the place of this one. The replaced program stays beside it as svc.previous. When
anything is wrong, nothing is changed.

The agent of svc agent install keeps taking calls: a second agent from the new program connects first, then the service
starts again, and then the second agent stops. If the hub does not greet the new version within 60 seconds, the earlier
one stays or comes back.

apt, dnf and Homebrew upgrade what they installed; then svc upgrade prints their command. Their packages run
svc upgrade --services afterwards, which replaces running processes of the earlier version: the hub, whose socket systemd keeps,
and the agent as above.

Environment:
  SVC_RELEASE_URL  a mirror of the folder of releases; the key stays the one in the program

Exit codes:
  0  upgraded, or this is the newest version
  1  no such release, a wrong signature or file, or a failure at run time; nothing was changed
  2  bad input: an option, or a program that svc upgrade cannot replace`;

export function upgradeCommand(): Command {
  return new Command('upgrade')
    .option('--to <version>', 'the version to install (default: the newest)')
    .option('--check', 'only say whether there is a newer version')
    .option('--services', 'only start the services of this program again, without a failed call')
    .addHelpText('after', HELP)
    .action(async ({ services, ...options }: UpgradeOptions & { readonly services?: true }) => {
      if (services) {
        const { restartServices } = await import('../upgrade/restart-services.ts');
        await restartServices();
        return;
      }
      const { upgrade } = await import('../upgrade/upgrade.ts');
      await upgrade(options);
    });
}
