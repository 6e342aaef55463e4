import { arch } from 'node:process';
import { EngineError } from '../engine.ts';
import source from './shim.pl' with { type: 'text' };

/** A test checks `use strict`; at run time it would load a module from disk. */
const WITHOUT_MODULES = source.replace(/^use strict;$/m, '');

/** The number of the system call `prctl`; Perl calls it by number. */
const PRCTL: Readonly<Partial<Record<NodeJS.Architecture, string>>> = { x64: '157', arm64: '167' };

/**
 * The command of process 1 of every container. Its text is in the command line, not in the image, so it always matches this
 * program, whatever the age of the image.
 */
export function shimCommand(): readonly string[] {
  const prctl = PRCTL[arch];
  if (prctl === undefined)
    throw new EngineError(`hosted containers are for x64 and arm64, and this is ${arch}`);
  return ['/usr/bin/perl', '-e', WITHOUT_MODULES, prctl];
}
