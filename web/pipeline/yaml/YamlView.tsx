import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ValidationIssue } from '../graph/findings.ts';
import { pipelineIn, problemsIn, type TextProblem, yamlOf } from './pipeline-yaml.ts';
import { openEditor, replaceText, showProblems } from './yaml-editor.ts';

interface YamlViewProps {
  readonly pipeline: Pipeline;
  /** Of the hub; what the text itself says is found here. */
  readonly findings: readonly ValidationIssue[];
  /** Absent: it is only looked at. */
  readonly onChange?: (pipeline: Pipeline) => void;
}

/** The same pipeline as text. The graph follows as soon as the text is one that can be read. */
export function YamlView({ pipeline, findings, onChange }: YamlViewProps) {
  const [text, setText] = useState(() => yamlOf(pipeline));
  const written = useMemo(() => pipelineIn(text), [text]);
  const isRead = 'slug' in written;
  const told = useRef(pipeline);
  const tell = useRef(onChange);
  tell.current = onChange;
  useEffect(() => {
    if (!isRead || JSON.stringify(written) === JSON.stringify(told.current)) return;
    told.current = written;
    tell.current?.(written);
  }, [isRead, written]);
  useEffect(() => {
    // Changed elsewhere: undone, for instance.
    if (pipeline === told.current) return;
    told.current = pipeline;
    setText(yamlOf(pipeline));
  }, [pipeline]);
  const problems = useMemo(
    () => (isRead ? problemsIn(text, findings) : written),
    [isRead, written, text, findings],
  );
  return (
    <div className="flex flex-col gap-2">
      <Editor text={text} onText={setText} isReadOnly={onChange === undefined} problems={problems} />
      <Problems problems={problems} isRead={isRead} />
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
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<ReturnType<typeof openEditor>>(undefined);
  const first = useRef(text);
  useEffect(() => {
    if (place.current === null) return;
    const options = { label: 'The pipeline as YAML', text: first.current, isReadOnly, onChange: onText };
    const opened = openEditor(place.current, options);
    view.current = opened;
    return () => opened.destroy();
  }, [isReadOnly, onText]);
  useEffect(() => {
    if (view.current) replaceText(view.current, text);
  }, [text]);
  useEffect(() => {
    if (view.current) showProblems(view.current, problems);
  }, [problems]);
  return <div ref={place} className="overflow-hidden rounded border border-line" />;
}

function Problems({
  problems,
  isRead,
}: {
  readonly problems: readonly TextProblem[];
  readonly isRead: boolean;
}) {
  return (
    <div role="status" className="text-sm">
      {!isRead && <p className="text-soft">The graph shows what could be read last.</p>}
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
