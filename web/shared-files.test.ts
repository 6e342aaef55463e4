import { expect, test } from 'bun:test';
import { type ChunkGraph, sharedFiles } from './shared-files.ts';

/** Modules by id: what each imports, what it loads lazily, and its bytes. */
type Modules = Readonly<
  Record<string, { readonly imports?: string[]; readonly loads?: string[]; readonly bytes?: number }>
>;

function graphOf(modules: Modules): ChunkGraph {
  return {
    getModuleInfo: (id: string) => ({
      importedIds: modules[id]?.imports ?? [],
      dynamicallyImportedIds: modules[id]?.loads ?? [],
      code: ' '.repeat(modules[id]?.bytes ?? 0),
    }),
  } as unknown as ChunkGraph;
}

const files = (modules: Modules, taken = ['root']) =>
  sharedFiles('root', graphOf(modules), (id) => taken.includes(id));

test('small modules that nearly the same pages use are in one file', () => {
  const shared = files({
    root: { loads: ['one', 'two', 'three'] },
    one: { imports: ['button', 'field'] },
    two: { imports: ['button', 'field'] },
    three: { imports: ['button'] },
    button: { bytes: 500 },
    field: { bytes: 500 },
  });
  expect([...shared.keys()].toSorted()).toEqual(['button', 'field']);
  expect(new Set(shared.values()).size).toBe(1);
});

test('a large module stays apart from what other pages need', () => {
  const shared = files({
    root: { loads: ['one', 'two', 'three'] },
    one: { imports: ['button', 'editor'] },
    two: { imports: ['button', 'editor'] },
    three: { imports: ['button'] },
    button: { bytes: 500 },
    editor: { bytes: 100_000 },
  });
  expect(shared.get('editor')).not.toBe(shared.get('button'));
});

test('what one page alone uses, a lazily loaded module, and what is taken have no shared file', () => {
  const modules: Modules = {
    root: { imports: ['react'], loads: ['one', 'two'] },
    one: { imports: ['react', 'chart', 'button', 'two'] },
    two: { imports: ['react', 'button'] },
    button: { bytes: 500 },
    chart: { bytes: 500 },
  };
  expect([...files(modules, ['root', 'react']).keys()]).toEqual(['button']);
});
