import { expect, test } from 'bun:test';
import { COMMANDS } from './commands.ts';

test.each(COMMANDS.map(({ name }) => name))(
  'svc %s --help has an example of itself and its exit codes',
  async (name) => {
    const command = await COMMANDS.find((row) => row.name === name)?.load();
    if (command === undefined) throw new Error('no command');
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    expect(command.name()).toBe(name);
    expect(help).toMatch(new RegExp(`\\nExamples:\\n(?: +.*\\n)* .*\\bsvc ${name}\\b`));
    expect(help).toMatch(/\nExit codes:\n {2}0(?:-255)? +\S/);
  },
);
