import { readFile } from 'node:fs/promises';
import { LIMITS } from '@svc/core/plan/limits';
import source from 'jq-web/jq.js' with { type: 'text' };
import wasmPath from 'jq-web/jq.wasm' with { type: 'file' };
import { createJqHost, type JqHost, OutputTooLong } from './jq-host.ts';

/** `outputs`: the JSON text of each output value, in order. */
export type JqResult =
  | { readonly kind: 'outputs'; readonly outputs: readonly string[] }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Runs a jq program (jq 1.7) on JSON text. The program sees only that text: no file, no environment, no module.
 *
 * Numbers that it only passes on keep their digits; computed ones are doubles. It may never end, so run it in a process
 * that can be killed.
 */
export async function runJq(program: string, json: string): Promise<JqResult> {
  const host = createJqHost(new TextEncoder().encode(json), LIMITS.transformResultBytes);
  const jq = await instantiate(host);
  try {
    // The space keeps jq from reading a program such as "--help" as an option.
    const exitCode = jq.callMain(['--compact-output', ` ${program}`]);
    if (exitCode !== 0)
      return { kind: 'failed', reason: host.stderr().trim() || `jq exited with ${exitCode}` };
    return { kind: 'outputs', outputs: host.stdout().split('\n').slice(0, -1) };
  } catch (error) {
    if (error instanceof OutputTooLong) return { kind: 'failed', reason: TOO_LONG };
    return { kind: 'failed', reason: `jq broke off: ${host.stderr().trim() || (error as Error).message}` };
  }
}

const TOO_LONG = `the result is longer than ${LIMITS.transformResultBytes / 1024 ** 2} MiB`;

/** The part of jq-web's module that is used here. */
interface JqModule {
  callMain(args: string[]): number;
}

type Import = (...args: number[]) => number;

interface Imports {
  readonly env: { readonly emscripten_resize_heap: Import };
  readonly wasi_snapshot_preview1: Readonly<Record<string, Import>>;
}

type Factory = (options: {
  readonly thisProgram: string;
  /** Receives the errors of the script itself. */
  printErr(text: string): void;
  instantiateWasm(imports: Imports, done: (instance: WebAssembly.Instance) => void): object;
}) => Promise<JqModule>;

let compiled: Promise<WebAssembly.Module> | undefined;

/** A fresh instance per run, so that runs share no state; it takes about a millisecond. */
async function instantiate(host: JqHost): Promise<JqModule> {
  compiled ??= readFile(wasmPath).then((bytes) => WebAssembly.compile(bytes));
  const module = await compiled;
  return createModule({
    thisProgram: 'jq',
    printErr() {},
    instantiateWasm({ env, wasi_snapshot_preview1 }, done) {
      const instance: WebAssembly.Instance = new WebAssembly.Instance(module, {
        env: { ...env, emscripten_resize_heap: upToLimit(env.emscripten_resize_heap) },
        wasi_snapshot_preview1: { ...wasi_snapshot_preview1, ...host.imports(() => memoryOf(instance)) },
      });
      done(instance);
      return {};
    },
  });
}

function memoryOf(instance: WebAssembly.Instance): ArrayBuffer {
  return (instance.exports.memory as WebAssembly.Memory).buffer;
}

/** Refuses to grow jq's memory beyond the limit of a transform: its allocation then fails with an error. */
function upToLimit(resize: Import): Import {
  return (bytes = 0) => (bytes > LIMITS.transformMemoryBytes ? 0 : resize(bytes));
}

/**
 * The script ends by starting an instance of its own that searches the wasm on disk; only the factory before that is used.
 *
 * Without `process` it assumes a bare engine and does not use Node's file system.
 */
// oxlint-disable-next-line typescript/no-implied-eval -- the script of a pinned package, nothing of a user
const createModule: Factory = new Function(
  'process',
  `${source.slice(0, source.lastIndexOf('jq = jq()'))}; return jq;`,
)(undefined);
