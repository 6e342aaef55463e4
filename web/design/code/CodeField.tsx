import { Suspense } from 'react';
import { lazyHeavyPart } from '../../api/live/load-part.ts';
import type { CodeLanguage } from './languages.ts';

const CodeEditor = lazyHeavyPart(async () => (await import('./CodeEditor.tsx')).CodeEditor);

interface CodeFieldProps {
  readonly label: string;
  readonly language: CodeLanguage;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The purpose of the field, or the accepted values. */
  readonly hint: string;
  /** The problem with the value, and what is accepted. */
  readonly problem: string | undefined;
  /** The height of an empty editor, in lines; default: 1. */
  readonly minLines?: number;
}

/** A program or expression in an editor, with its label above and its problem below. Tab leaves the editor. */
export function CodeField({ hint, problem, minLines = 1, ...editor }: CodeFieldProps) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span className="text-sm font-semibold">{editor.label}</span>
      <Suspense fallback={<CodeSpace text={editor.value} minLines={minLines} />}>
        <CodeEditor
          {...editor}
          minLines={minLines}
          about={[hint, problem].filter((text) => text !== undefined).join(' ')}
          isInvalid={problem !== undefined}
        />
      </Suspense>
      <p className="text-sm text-soft">{hint}</p>
      {problem !== undefined && <p className="text-sm text-bad">{problem}</p>}
    </div>
  );
}

/** The text in the space of the editor while that is loaded, so that nothing moves. */
function CodeSpace({ text, minLines }: { readonly text: string; readonly minLines: number }) {
  return (
    <pre
      className="max-h-64 overflow-hidden whitespace-pre-wrap rounded border border-edge bg-raised px-2 py-1 font-mono text-base wrap-anywhere"
      style={{ minHeight: `${10 + minLines * 20}px` }}
    >
      {text}
    </pre>
  );
}
