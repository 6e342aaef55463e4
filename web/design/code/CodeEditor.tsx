import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { openEditor, replaceText } from './code-editor.ts';
import { type CodeLanguage, LANGUAGES } from './languages.ts';

const THEME = EditorView.theme({
  '&': { backgroundColor: 'var(--raised)', borderRadius: '3px', maxHeight: '16rem' },
  '.cm-content': { padding: '4px 0' },
  '.cm-line': { padding: '0 8px' },
});

/** The height of a line in `openEditor`. */
const LINE_PX = 20;

interface CodeEditorProps {
  readonly label: string;
  readonly language: CodeLanguage;
  /** The height of an empty editor, in lines. */
  readonly minLines: number;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The hint and the problem of the field, for screen readers. */
  readonly about: string;
  readonly isInvalid: boolean;
}

/** An editor with the colours of a language. */
export function CodeEditor({
  label,
  language,
  minLines,
  value,
  onChange,
  about,
  isInvalid,
}: CodeEditorProps) {
  const container = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  /** The texts since the shown value. Each comes back as `value`, possibly after the next key. */
  const typed = useRef<readonly string[]>([value]);
  const publish = useRef(onChange);
  publish.current = onChange;
  useEffect(() => {
    if (container.current === null) return;
    const opened = openEditor(container.current, {
      label,
      text: typed.current.at(-1) ?? '',
      isReadOnly: false,
      onChange: (text) => {
        typed.current = [...typed.current, text];
        publish.current(text);
      },
      extensions: [
        LANGUAGES[language],
        EditorView.lineWrapping,
        THEME,
        EditorView.theme({ '.cm-content': { minHeight: `${8 + minLines * LINE_PX}px` } }),
      ],
    });
    view.current = opened;
    // The form focuses the first field with a problem. A host that takes the focus itself would keep Tab out of the editor.
    container.current.focus = () => opened.focus();
    return () => opened.destroy();
  }, [label, language, minLines]);
  useEffect(() => {
    const own = view.current?.state.doc.toString() === value ? -1 : typed.current.indexOf(value);
    typed.current = own < 0 ? [value] : typed.current.slice(own);
    if (own < 0 && view.current) replaceText(view.current, value);
  }, [value]);
  useEffect(() => {
    const content = view.current?.contentDOM;
    content?.setAttribute('aria-description', about);
    if (isInvalid) content?.setAttribute('aria-invalid', 'true');
    else content?.removeAttribute('aria-invalid');
  }, [about, isInvalid]);
  return (
    <div
      ref={container}
      data-problem={isInvalid || undefined}
      className="rounded border border-edge data-problem:border-bad"
    />
  );
}
