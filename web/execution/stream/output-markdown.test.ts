import { expect, test } from 'bun:test';
import { outputMarkdown } from './output-markdown.ts';

const URL = 'https://svc.example.com/dashboard/executions/1#L2';
const markdown = (more: Partial<Parameters<typeof outputMarkdown>[0]>) =>
  outputMarkdown({ slug: 'deploy', url: URL, end: undefined, text: 'a\nb\n', ...more });

test.each([
  [undefined, 'still running'],
  [{ kind: 'done', exitCode: 3, durationMs: 12 }, 'exit code 3'],
  [{ kind: 'error', error: 'it was\ncancelled' }, 'it was cancelled'],
] as const)('says that %p is %s, with a link to the execution', (end, words) => {
  expect(markdown({ end })).toBe(`[deploy](${URL}), ${words}:\n\n\`\`\`text\na\nb\n\`\`\`\n`);
});

test('no output ends its block', () => {
  const fence = '`'.repeat(5);
  expect(markdown({ text: '```\n````x\n' })).toEndWith(`:\n\n${fence}text\n\`\`\`\n\`\`\`\`x\n${fence}\n`);
});
