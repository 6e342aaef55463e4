import { arch } from 'node:process';
import { EngineError } from '../engine.ts';
import source from './shim.pl' with { type: 'text' };

/** A test checks `use strict`; at run time it would load a module from disk. */
const WITHOUT_MODULES = source.replace(/^use strict;$/m, '');

/** The numbers of the system calls `prctl`, `rt_sigprocmask` and `signalfd4`, which Perl calls by number. */
const SYSTEM_CALLS: Readonly<Partial<Record<NodeJS.Architecture, readonly string[]>>> = {
  x64: ['157', '14', '289'],
  arm64: ['167', '135', '74'],
};

/**
 * The command of process 1 of every container. Its text is in the command line, not in the image, so it always matches this
 * program, whatever the age of the image.
 */
export function shimCommand(): readonly string[] {
  const systemCalls = SYSTEM_CALLS[arch];
  if (systemCalls === undefined)
    throw new EngineError(`hosted containers are for x64 and arm64, and this is ${arch}`);
  return ['/usr/bin/perl', '-e', WITHOUT_MODULES, ...systemCalls];
}
