import { arch } from 'node:process';
import { EngineError } from '../engine.ts';
import source from './shim.pl' with { type: 'text' };

/** What `use strict` finds is known before; at every start it would read a module from the disk. */
const WITHOUT_MODULES = source.replace(/^use strict;$/m, '');

/** The number of the call `prctl`, which Perl makes by its number. */
const PRCTL: Readonly<Partial<Record<NodeJS.Architecture, string>>> = { x64: '157', arm64: '167' };

/**
 * What process 1 of every container is. Its text travels with the command line and not with the image, so that it fits this
 * program whatever the age of the image.
 */
export function shimCommand(): readonly string[] {
  const prctl = PRCTL[arch];
  if (prctl === undefined)
    throw new EngineError(`hosted containers are for x64 and arm64, and this is ${arch}`);
  return ['/usr/bin/perl', '-e', WITHOUT_MODULES, prctl];
}
