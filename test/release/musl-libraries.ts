import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../tools/release/run.ts';

/**
 * What Debian's C++ library takes from glibc, and musl does not have. Without the second symbol, the library finds exceptions in an
 * older way. The compiler's library for arm64 asks for the features of the processor by the last.
 */
const FROM_GLIBC = `
char __libc_single_threaded;
int _dl_find_object(void *address, void *result) { return -1; }
unsigned arc4random(void) { return 4; }
unsigned long getauxval(unsigned long type);
unsigned long __getauxval(unsigned long type) { return getauxval(type); }
`;

/** Names of the C++ library that Bun's runtime takes from it: functions, tables of types, and what the compiler calls. */
const OF_THE_LIBRARY = /^(?:_ZN?K?St|_ZTVN10__cxxabiv|__cxa_|__dynamic_cast$|__once_proxy$)/;
/** Weak in the runtime: musl calls destructors of threads by itself. */
const NOT_TAKEN = ['__cxa_thread_atexit_impl', '__cxa_finalize'];

/**
 * Makes a C++ library for programs of musl in `folder` with a compiler of Debian, and returns the folder. Alpine has one, but Debian does
 * not. This library has the parts of Debian's library that the program uses, linked without glibc.
 */
export function muslLibraries(folder: string, program: string, compiler: string): string {
  const source = join(folder, 'from-glibc.c');
  writeFileSync(source, FROM_GLIBC);
  const partOf = (name: string) => run([compiler, `-print-file-name=${name}`]).trim();
  run([
    compiler,
    ...['-shared', '-nostdlib', '-fPIC', '-o', join(folder, 'libstdc++.so.6')],
    ...['-Wl,-soname,libstdc++.so.6', '-Wl,-Bsymbolic'],
    ...takenFrom(program).map((name) => `-Wl,-u,${name}`),
    ...[partOf('crtbeginS.o'), source],
    ...['libstdc++.a', 'libgcc_eh.a', 'libgcc.a'].map(partOf),
    partOf('crtendS.o'),
  ]);
  return folder;
}

/** The names that a program takes from the C++ library. */
function takenFrom(program: string): string[] {
  const symbols = run(['readelf', '--dyn-syms', '--wide', program]).split('\n');
  const names = symbols.map((line) => line.trim().split(/\s+/).at(7)?.split('@')[0] ?? '');
  return names.filter((name) => OF_THE_LIBRARY.test(name) && !NOT_TAKEN.includes(name));
}
