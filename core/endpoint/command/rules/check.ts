import type { CommandProblem } from '../program.ts';
import type { Script, Span } from '../shell/script.ts';
import type { CommandArgument } from './command-argument.ts';
import type { HostileUses } from './hostile-use.ts';

/** One script while the rules are applied to it. */
export interface Check {
  readonly script: Script;
  readonly args: readonly CommandArgument[];
  readonly uses: HostileUses;
  readonly problems: Problems;
}

/** Collects at most one problem for each place: the first that is found says enough. */
export class Problems {
  readonly #byOffset = new Map<number, CommandProblem>();

  add({ start, end }: Span, message: string): void {
    if (this.#byOffset.has(start)) return;
    this.#byOffset.set(start, { offset: start, length: end - start, message });
  }

  sorted(): CommandProblem[] {
    return [...this.#byOffset.values()].sort((a, b) => a.offset - b.offset);
  }
}
