import { argumentVariable } from '../../argument-name.ts';
import { secretVariable } from '../secret-name.ts';
import type { Script, Span } from '../shell/script.ts';
import { SpanIndex } from '../shell/span-index.ts';
import { carrierNames } from './carriers.ts';
import type { CommandArgument } from './command-argument.ts';

/** A part of the text whose meaning a value decides: a placeholder, or a variable that a value went into. */
export interface HostileUse extends Span {
  /** As it stands in the text, for messages. */
  readonly shown: string;
  /** The environment variable that a program can read instead. */
  readonly variable: string;
}

/** Answers where values are, so that rules can ask it of any part of the text. */
export interface HostileUses {
  readonly all: readonly HostileUse[];
  readonly within: (span: Span) => readonly HostileUse[];
}

/**
 * Every place in the text that a value can change: placeholders, and `$variables` that carry one.
 *
 * The environment way out of a refusal is to read `$SVC_ARG_X`; it must not lead back to what was refused, as in
 * `sh -c "echo $SVC_ARG_X"`.
 */
export function hostileUses(script: Script, text: string, args: readonly CommandArgument[]): HostileUses {
  const carriers = carrierNames(script, args);
  const placeholders = script.values.map(({ kind, name, start, end }) => {
    const variable = kind === 'argument' ? argumentVariable(name) : secretVariable(name);
    return { start, end, shown: text.slice(start, end), variable };
  });
  const references = script.references
    .filter((reference) => carriers.has(reference.name))
    .map(({ start, end, name }) => {
      const variable = name.startsWith('SVC_') ? name : 'SVC_ARG_…';
      return { start, end, shown: text.slice(start, end), variable };
    });
  const all = [...placeholders, ...references];
  const index = new SpanIndex(all);
  return { all, within: (span) => index.within(span) };
}

/** The references that shells evaluate although they carry a value. */
export function evaluatedUses(script: Script, uses: HostileUses): readonly HostileUse[] {
  const evaluated = new Set(
    script.references.filter((reference) => reference.evaluated).map(({ start }) => start),
  );
  return uses.all.filter((use) => evaluated.has(use.start));
}
