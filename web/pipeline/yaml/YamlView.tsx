import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ValidationIssue } from '../graph/findings.ts';
import { pipelineIn, problemsIn, type TextProblem, yamlOf } from './pipeline-yaml.ts';
import { openEditor, replaceText, showProblems } from './yaml-editor.ts';

interface YamlViewProps {
  readonly pipeline: Pipeline;
  /** The issues found by the hub; syntax problems are found here. */
  readonly findings: readonly ValidationIssue[];
  /** Absent: the text is read-only. */
  readonly onChange?: (pipeline: Pipeline) => void;
}

/** A pipeline as YAML. Each valid text updates the graph. */
export function YamlView({ pipeline, findings, onChange }: YamlViewProps) {
  const [text, setText] = useState(() => yamlOf(pipeline));
  const written = useMemo(() => pipelineIn(text), [text]);
  const isValid = 'slug' in written;
  const published = useRef(pipeline);
  const publish = useRef(onChange);
  publish.current = onChange;
  useEffect(() => {
    if (!isValid || JSON.stringify(written) === JSON.stringify(published.current)) return;
    published.current = written;
    publish.current?.(written);
  }, [isValid, written]);
  useEffect(() => {
    // The pipeline changed outside this view, such as by an undo.
    if (pipeline === published.current) return;
    published.current = pipeline;
    setText(yamlOf(pipeline));
  }, [pipeline]);
  const problems = useMemo(
    () => (isValid ? problemsIn(text, findings) : written),
    [isValid, written, text, findings],
  );
  return (
    <div className="flex flex-col gap-2">
      <Editor text={text} onText={setText} isReadOnly={onChange === undefined} problems={problems} />
      <Problems problems={problems} isValid={isValid} />
    </div>
  );
}

interface EditorProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly isReadOnly: boolean;
  readonly problems: readonly TextProblem[];
}

function Editor({ text, onText, isReadOnly, problems }: EditorProps) {
  const container = useRef<HTMLDivElement>(null);
  const view = useRef<ReturnType<typeof openEditor>>(undefined);
  const first = useRef(text);
  useEffect(() => {
    if (container.current === null) return;
    const options = { label: 'Pipeline YAML', text: first.current, isReadOnly, onChange: onText };
    const opened = openEditor(container.current, options);
    view.current = opened;
    return () => opened.destroy();
  }, [isReadOnly, onText]);
  useEffect(() => {
    if (view.current) replaceText(view.current, text);
  }, [text]);
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
