import { Command } from 'commander';

const HELP = `
Examples:
  svc explain                      all keys of svc.yaml
  svc explain endpoints.timeout    one key: its values, its default and what it does
  svc explain args                 a key by its last name, wherever it stands, with the keys below it
  svc explain endpoints --json

Exit codes:
  0  success
  2  there is no such key`;

export function explainCommand(): Command {
  return new Command('explain')
    .argument('[key]', 'a key of svc.yaml, such as endpoints.timeout or timeout')
    .option('--json', 'print one JSON object per key')
    .addHelpText('after', HELP)
    .action(async (key: string | undefined, { json }: { readonly json?: true }) => {
      const { explainKey } = await import('../reference/explain-key.ts');
      explainKey(key, json === true);
    });
}
