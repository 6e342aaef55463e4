import { Command } from 'commander';
import type { ArtifactsOptions } from '../artifacts/artifacts.ts';
import { API_KEY_OPTION, withServiceOptions } from '../service/options.ts';
import { readId } from '../service/read-id.ts';

const HELP = `
Examples:
  svc artifacts 01a1f8f9-6cb9-71ed-a31e-d55e8abc609c                        list the files of an execution
  svc artifacts 01a1f8f9-... dist/app.zip -o app.zip                        download one
  svc artifacts 01a1f8f9-... --all out                                      download all into a new folder

Each download is compared with its SHA-256. No file is overwritten, and no name leads out of the folder.

Environment: as for svc call.

Exit codes:
  0  listed or downloaded
  1  the service failed, or a file could not be written
  2  bad input, or no such execution or file`;

export function artifactsCommand(): Command {
  const command = new Command('artifacts')
    .argument('<execution>', 'the id of the execution', readId)
    .argument('[name]', 'the file to download')
    .option('-o, --output <file>', 'where to write the file')
    .option('--all <folder>', 'download all files into this folder, which is new or empty')
    .option(...API_KEY_OPTION)
    .option('--json', 'print the list as one JSON object');
  return withServiceOptions(command)
    .addHelpText('after', HELP)
    .action(async (id: string, name: string | undefined, options: ArtifactsOptions) => {
      const { listOrDownload } = await import('../artifacts/artifacts.ts');
      await listOrDownload(id, name, options);
    });
}
