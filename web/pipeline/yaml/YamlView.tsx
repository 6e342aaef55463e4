import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { openEditor, replaceText } from '../../design/code/code-editor.ts';
import type { PipelineIssue } from '../graph/issues.ts';
import { pipelineIn, positionedProblems, type TextProblem, yamlOf } from './pipeline-yaml.ts';
import { showProblems, YAML } from './yaml-editor.ts';

interface YamlViewProps {
  readonly pipeline: Pipeline;
  /** The issues found by the hub; syntax problems are found here. */
  readonly issues: readonly PipelineIssue[];
  /** Absent: the text is read-only. */
  readonly onChange?: (pipeline: Pipeline) => void;
}

/**
 * A pipeline as YAML. Each valid text updates the graph.
 *
 * NOTE: what is typed goes to the draft at once, in the handler, and the text of the editor is replaced only after a change
 * from outside. An effect runs after the next keys may have been typed, and would bring back the text before them.
 */
export function YamlView({ pipeline, issues, onChange }: YamlViewProps) {
  const [{ text, written }, setShown] = useState(() => shownAs(yamlOf(pipeline)));
  const [given, setGiven] = useState({ text });
  const published = useRef<readonly Pipeline[]>([pipeline]);
  const publish = useRef(onChange);
  publish.current = onChange;
  const onText = useCallback((typed: string) => {
    const shown = shownAs(typed);
    setShown(shown);
    if (!('slug' in shown.written)) return;
    if (JSON.stringify(shown.written) === JSON.stringify(published.current.at(-1))) return;
    published.current = [...published.current, shown.written];
    publish.current?.(shown.written);
  }, []);
  useEffect(() => {
    const own = published.current.indexOf(pipeline);
    if (own >= 0) {
      published.current = published.current.slice(own);
      return;
    }
    published.current = [pipeline];
    const outside = yamlOf(pipeline);
    setShown(shownAs(outside));
    setGiven({ text: outside });
  }, [pipeline]);
  const isValid = 'slug' in written;
  const problems = useMemo(
    () => ('slug' in written ? positionedProblems(text, issues) : written),
    [written, text, issues],
  );
  return (
    <div className="flex flex-col gap-2">
      <Editor given={given} onText={onText} isReadOnly={onChange === undefined} problems={problems} />
      <Problems problems={problems} isValid={isValid} />
    </div>
  );
}

function shownAs(text: string) {
  return { text, written: pipelineIn(text) };
}

interface EditorProps {
  /** The first text of the editor, which also replaces its text whenever it changes. */
  readonly given: { readonly text: string };
  readonly onText: (text: string) => void;
  readonly isReadOnly: boolean;
  readonly problems: readonly TextProblem[];
}

function Editor({ given, onText, isReadOnly, problems }: EditorProps) {
  const container = useRef<HTMLDivElement>(null);
  const view = useRef<ReturnType<typeof openEditor>>(undefined);
  const first = useRef(given.text);
  useEffect(() => {
    if (container.current === null) return;
    const opened = openEditor(container.current, {
      label: 'Pipeline YAML',
      text: first.current,
      isReadOnly,
      onChange: onText,
      extensions: YAML,
    });
    view.current = opened;
    return () => opened.destroy();
  }, [isReadOnly, onText]);
  useEffect(() => {
    if (view.current) replaceText(view.current, given.text);
  }, [given]);
  useEffect(() => {
    if (view.current) showProblems(view.current, problems);
  }, [problems]);
  return <div ref={container} className="overflow-hidden rounded border border-line" />;
}

function Problems({
  problems,
  isValid,
}: {
  readonly problems: readonly TextProblem[];
  readonly isValid: boolean;
}) {
  return (
    <div role="status" className="text-sm">
      {!isValid && <p className="text-soft">The graph shows the last valid YAML.</p>}
      <ul className="text-bad">
        {problems.map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            Line {line}: {message}
          </li>
        ))}
      </ul>
    </div>
  );
}
