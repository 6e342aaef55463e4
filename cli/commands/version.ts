import { Command } from 'commander';
import { VERSION } from '../version.ts';

const HELP = `
Examples:
  svc version
  svc version --json | jq -r .version

Exit codes:
  0  success`;

export function versionCommand(): Command {
  return new Command('version')
    .option('--json', 'print {"version", "platform", "arch", "runtime"}')
    .addHelpText('after', HELP)
    .action(({ json }: { readonly json?: true }) => {
      const { platform, arch } = process;
      const line = { version: VERSION, platform, arch, runtime: `bun ${Bun.version}` };
      process.stdout.write(
        json ? `${JSON.stringify(line)}\n` : `svc ${VERSION} (${platform} ${arch}, ${line.runtime})\n`,
      );
    });
}
