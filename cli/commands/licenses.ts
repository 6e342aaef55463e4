import { Command } from 'commander';
import { Failure } from '../failure.ts';

const HELP = `
Examples:
  svc licenses | less

Prints the licenses of svc, of the runtime, and of every package and font in the program and its dashboard.

Exit codes:
  0  success
  1  the program was not built with them`;

export function licensesCommand(): Command {
  return new Command('licenses').addHelpText('after', HELP).action(async () => {
    const { builtPack } = await import('@svc/hub/dashboard/asset-pack');
    const pack = await builtPack('dashboard')();
    if (pack === undefined)
      throw new Failure('the licenses are not there: `npm start` and `npm run build` collect them');
    process.stdout.write(pack.licenses);
  });
}
