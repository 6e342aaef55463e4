import { dlopen, ptr } from 'bun:ffi';

/** A pipe whose ends the program of `execute` inherits. */
export interface InheritedPipe {
  readonly readEnd: number;
  readonly writeEnd: number;
}

interface Calls {
  readonly pipe: (ends: Int32Array) => number;
  readonly execve: (path: Uint8Array, argv: BigUint64Array, env: BigUint64Array) => number;
}

const calls = load();

export function openInheritedPipe(): InheritedPipe | undefined {
  const ends = new Int32Array(2);
  if (calls === undefined || calls.pipe(ends) !== 0) return undefined;
  const [readEnd = -1, writeEnd = -1] = ends;
  return { readEnd, writeEnd };
}

/**
 * Replaces this process by another program with the same process id, parent and open files (execve(2)). Returns only on
 * failure.
 */
export function execute(
  path: string,
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const set = Object.entries(environment).filter(([, value]) => value !== undefined);
  const env = set.map(([name, value]) => `${name}=${value}`);
  // A variable keeps the texts alive during the call.
  const texts = [argv.map(cString), env.map(cString)] as const;
  calls?.execve(cString(path), pointers(texts[0]), pointers(texts[1]));
}

function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}

function pointers(texts: readonly Buffer[]): BigUint64Array {
  return BigUint64Array.from([...texts.map((text) => BigInt(ptr(text))), 0n]);
}

function load(): Calls | undefined {
  try {
    const { symbols } = dlopen(process.platform === 'darwin' ? 'libSystem.B.dylib' : 'libc.so.6', {
      pipe: { args: ['ptr'], returns: 'i32' },
      execve: { args: ['ptr', 'ptr', 'ptr'], returns: 'i32' },
    });
    return {
      pipe: (ends) => symbols.pipe(ptr(ends)),
      execve: (path, argv, env) => symbols.execve(ptr(path), ptr(argv), ptr(env)),
    };
  } catch {
    // The library is missing, or code generation at run time is forbidden.
    return undefined;
  }
}
