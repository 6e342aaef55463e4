import { argumentVariable } from '../argument-name.ts';
import { secretVariable } from '../secret-name.ts';
import { canBeAbsent } from '../value/resolve-values.ts';
import type { CommandArgument } from './command-argument.ts';
import type { Script, ValueUse } from './shell/script.ts';

/**
 * The text for `/bin/sh -c`: each placeholder becomes an expansion of its variable, always inside double quotes, so that
 * no shell splits it, matches files with it or reads it again (decision 6).
 *
 * An argument that can be absent is expanded with `-`, so that `set -u` does not stop the command; where a word is only
 * its placeholder, with `+`, so that the word disappears.
 */
export function rewriteForShell(script: Script, text: string, args: readonly CommandArgument[]): string {
  const absent = new Set(args.filter(canBeAbsent).map((argument) => argument.name));
  const vanishing = vanishingPlaces(script, absent);
  let rewritten = '';
  let at = 0;
  for (const use of [...script.values].sort((a, b) => a.start - b.start)) {
    const variable = use.kind === 'argument' ? argumentVariable(use.name) : secretVariable(use.name);
    const isOptional = use.kind === 'argument' && absent.has(use.name);
    rewritten += text.slice(at, use.start);
    rewritten += vanishing.has(use.start)
      ? `\${${variable}+"\${${variable}}"}`
      : expansion(use, variable, isOptional);
    at = use.end;
  }
  rewritten += text.slice(at);
  // A shell would take a text that begins so for its own options.
  return /^[-+]/.test(rewritten) ? ` ${rewritten}` : rewritten;
}

function expansion(use: ValueUse, variable: string, isOptional: boolean): string {
  const expanded = isOptional ? `\${${variable}-}` : `\${${variable}}`;
  switch (use.quote) {
    case 'bare':
      return `"${expanded}"`;
    case 'double':
      return expanded;
    case 'single':
      return `'"${expanded}"'`;
  }
}

function vanishingPlaces(script: Script, absent: ReadonlySet<string>): ReadonlySet<number> {
  const places = new Set<number>();
  for (const { word, canVanish } of script.held) {
    const [only] = word.parts;
    if (canVanish && word.parts.length === 1 && only?.kind === 'argument' && absent.has(only.name))
      places.add(word.start);
  }
  return places;
}
