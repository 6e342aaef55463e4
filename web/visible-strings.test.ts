import { expect, test } from 'bun:test';
import { visibleStrings } from './visible-strings.ts';

const SOURCE = `
import { Button } from './Button.tsx';

const LABELS = { stop: 'Stop run', tone: 'text-bad' };
const LOOK = 'rounded border border-line hover:underline';

/** Not visible: a comment. */
export function Page({ name, isOpen }: { readonly name: 'not a text'; readonly isOpen: boolean }) {
  showDone(\`Key \${name} revoked\`);
  return (
    <section title="Keys" aria-label={isOpen ? 'Open keys' : 'Closed keys'} className="flex grow rounded">
      Keys of <code>{name}</code>
      <Button kind="primary" why={name === 'not compared text' ? undefined : 'Type a name first.'}>
        {isOpen ? 'Close' : 'Open'}
      </Button>
      <input placeholder="name" type="search" />
    </section>
  );
}
`;

test('every text that people see is listed with its line, and nothing else', () => {
  expect(visibleStrings('Page.tsx', SOURCE).map(({ line, text }) => `${line} ${text}`)).toEqual([
    '4 Stop run',
    '9 Key {…} revoked',
    '11 Keys',
    '11 Open keys',
    '11 Closed keys',
    '12 Keys of',
    '13 Type a name first.',
    '14 Close',
    '14 Open',
    '16 name',
  ]);
});

test('a source that cannot be parsed is an error with its name', () => {
  expect(() => visibleStrings('Page.tsx', 'const = ;')).toThrow('Page.tsx');
});
