import { StreamLanguage } from '@codemirror/language';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { openEditor, replaceText } from '../../design/code/code-editor.ts';

/** A placeholder of an argument, or a managed secret. */
const PLACES = new MatchDecorator({
  regexp: /\{\{[A-Za-z_][A-Za-z0-9_-]*\}\}|\$svc:[A-Za-z_][A-Za-z0-9_]*/g,
  decoration: ([text]) => Decoration.mark({ class: text.startsWith('$') ? 'cm-secret' : 'cm-argument' }),
});

class Marks {
  marks: DecorationSet;

  constructor(view: EditorView) {
    this.marks = PLACES.createDeco(view);
  }

  update(update: ViewUpdate): void {
    this.marks = PLACES.updateDeco(update, this.marks);
  }
}

const MARKS = ViewPlugin.fromClass(Marks, { decorations: ({ marks }) => marks });

const THEME = EditorView.theme({
  '&': { backgroundColor: 'var(--raised)', maxHeight: '16rem' },
  '.cm-content': { minHeight: '40px', padding: '4px 0' },
  '.cm-line': { padding: '0 8px' },
  // The marks of arguments and secrets lie around the colours of the shell.
  '.cm-argument, .cm-argument *': { color: 'var(--accent)' },
  '.cm-argument': { backgroundColor: 'var(--accent-wash)', borderRadius: '4px' },
  '.cm-secret, .cm-secret *': { color: 'var(--waiting)' },
  '.cm-secret': { backgroundColor: 'var(--waiting-wash)', borderRadius: '4px' },
});

const COMMAND = [StreamLanguage.define(shell), MARKS, EditorView.lineWrapping, THEME];

interface CommandEditorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The hint and the problem of the field, for screen readers. */
  readonly about: string;
  readonly isInvalid: boolean;
}

/** An editor of a command, with the colours of the shell and its arguments and secrets set apart. */
export function CommandEditor({ label, value, onChange, about, isInvalid }: CommandEditorProps) {
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
      extensions: COMMAND,
    });
    view.current = opened;
    // The form focuses the first field with a problem. A host that takes the focus itself would keep Tab out of the editor.
    container.current.focus = () => opened.focus();
    return () => opened.destroy();
  }, [label]);
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
