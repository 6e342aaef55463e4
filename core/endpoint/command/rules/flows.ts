import { type Flow, isWithin, type Script, type Span } from '../shell/script.ts';
import { SpanIndex } from '../shell/span-index.ts';
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
  if (uses.all.length === 0) return [];
  const runners = new SpanIndex(walked.filter(({ walk }) => runsInput(walk)).map(named));
  const everywhere = new SpanIndex(walked.filter(({ walk }) => reachesAll(script, walk)).map(named));
  const anyRunner = runners.within({ start: 0, end: Number.POSITIVE_INFINITY })[0];
  const runInputs = spread(script.flows, (flow) => {
    const inside = runners.within(flow.consumer)[0];
    return inside ?? (everywhere.within(flow.consumer).length > 0 ? anyRunner : undefined);
  });
  return runInputs.flatMap(({ source, command }) => uses.within(source).map((use) => ({ use, command })));
}

/** A part of the text whose output a command runs. */
interface RunInput {
  readonly source: Span;
  readonly command: string;
}

/** What goes into a runner, and what goes into the commands that make it: `cat <<EOF | sh`. */
function spread(flows: readonly Flow[], runner: (flow: Flow) => NamedSpan | undefined): readonly RunInput[] {
  const found: RunInput[] = [];
  const others: Flow[] = [];
  for (const flow of flows) {
    const command = runner(flow)?.command;
    if (command === undefined) others.push(flow);
    else found.push({ source: flow.source, command });
  }
  for (const { source, command } of found) {
    for (let i = others.length - 1; i >= 0; i--) {
      const other = others[i];
      if (other === undefined || !isWithin(other.consumer, source)) continue;
      others.splice(i, 1);
      found.push({ source: other.source, command });
    }
  }
  return found;
}

interface NamedSpan extends Span {
  readonly command: string;
}

function named({ span, walk }: WalkedCommand): NamedSpan {
  return { ...span, command: walk.chain.filter((name) => name !== undefined).join(' ') || 'this command' };
}

/** A function may hold any of the text's commands, and `exec < FILE` gives the input to all of them. */
function reachesAll(script: Script, { chain }: Walk): boolean {
  return script.functions.has(chain[0] ?? '') || (chain[0] === 'exec' && chain.length === 1);
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
