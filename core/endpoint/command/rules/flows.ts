import { type Flow, isWithin, type Script, type Span } from '../shell/script.ts';
import { findRule } from './catalogue/catalogue.ts';
import type { HostileUse, HostileUses } from './hostile-use.ts';
import { literalText } from './literal.ts';
import type { Walk } from './walk.ts';

/** A simple command with the roles of its words. */
export interface WalkedCommand {
  readonly span: Span;
  readonly walk: Walk;
}

/** Values that go into a command which runs its input: `echo {{x}} | sh`, `sh < {{x}}`. */
export function usesInRunInput(
  script: Script,
  walked: readonly WalkedCommand[],
  uses: HostileUses,
): { use: HostileUse; command: string }[] {
  if (script.values.length === 0 && script.references.length === 0) return [];
  return script.flows.flatMap((flow) => {
    const runner = runnerOf(script, walked, flow);
    if (runner === undefined) return [];
    const command = runner.walk.chain.filter((name) => name !== undefined).join(' ');
    return sourcesOf(script, flow).flatMap((source) => uses.within(source).map((use) => ({ use, command })));
  });
}

/** What goes into a flow: its own source, and what goes into the commands of that source: `cat <<EOF | sh`. */
function sourcesOf(script: Script, flow: Flow): readonly Span[] {
  const sources: Span[] = [flow.source];
  for (const source of sources) {
    for (const earlier of script.flows) {
      if (isWithin(earlier.consumer, source) && !sources.includes(earlier.source))
        sources.push(earlier.source);
    }
  }
  return sources;
}

/**
 * A function that is called there may hold any of the text's commands, and `exec < FILE` gives the input to all of them.
 */
function runnerOf(script: Script, walked: readonly WalkedCommand[], flow: Flow): WalkedCommand | undefined {
  const consumers = walked.filter(({ span }) => isWithin(span, flow.consumer));
  const reachesAll = consumers.some(
    ({ walk: { chain } }) =>
      script.functions.has(chain[0] ?? '') || (chain[0] === 'exec' && chain.length === 1),
  );
  return (reachesAll ? walked : consumers).find(({ walk }) => runsInput(walk));
}

function runsInput(walk: Walk): boolean {
  if (walk.chain.includes(undefined)) return true;
  const xargs = walk.chain.findIndex((name) => name === 'xargs' || name === 'gxargs');
  return walk.readsInput || (xargs !== -1 && runsWords(walk, walk.chain.slice(xargs + 1)));
}

/**
 * What xargs adds are words. They are code to the commands of the catalogue (`xargs sh -c`), stand in for a missing one
 * (`xargs env`), and can be its name (`xargs -I{} {}`).
 */
function runsWords(walk: Walk, behind: readonly (string | undefined)[]): boolean {
  const replaced = replacedText(walk)?.toLowerCase();
  return behind.some(
    (name) =>
      name === undefined ||
      findRule(name) !== undefined ||
      (replaced !== undefined && name.includes(replaced)),
  );
}

/** The text that xargs replaces by its input. */
function replacedText(walk: Walk): string | undefined {
  for (const [index, word] of walk.words.entries()) {
    const option = /^(?:-[IJR]|-i|--replace=?)(.*)$/s.exec(literalText(word) ?? '');
    if (option !== null) return option[1] || literalText(walk.words[index + 1]) || undefined;
  }
  return undefined;
}
