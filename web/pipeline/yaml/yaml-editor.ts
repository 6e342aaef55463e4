import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { minimalSetup } from 'codemirror';
import type { TextProblem } from './pipeline-yaml.ts';

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--running)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--never)' },
  { tag: tags.comment, color: 'var(--soft)' },
]);

const THEME = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--sunken)', fontSize: '13px', height: '28rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px', overflow: 'auto' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', border: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'var(--accent-wash)' },
  // The default wave is an image in a data: URL, which the Content-Security-Policy forbids.
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textUnderlineOffset: '3px',
  },
  '.cm-lintPoint-error:after': { borderBottomColor: 'var(--bad)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--ink)', border: '1px solid var(--line)' },
});

interface EditorOptions {
  readonly label: string;
  readonly text: string;
  readonly isReadOnly: boolean;
  readonly onChange: (text: string) => void;
}

/**
 * Opens a YAML editor in an element.
 *
 * NOTE: the editor lives in a shadow root, where CodeMirror adopts its style sheets: a `<style>` in the page would need a nonce
 * under the Content-Security-Policy. Colours are CSS variables.
 */
export function openEditor(
  place: HTMLElement,
  { label, text, isReadOnly, onChange }: EditorOptions,
): EditorView {
  const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' });
  const state = EditorState.create({
    doc: text,
    extensions: [
      minimalSetup,
      yaml(),
      syntaxHighlighting(COLOURS),
      THEME,
      EditorView.contentAttributes.of({ 'aria-label': label }),
      EditorState.readOnly.of(isReadOnly),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange(update.state.doc.toString());
      }),
    ],
  });
  return new EditorView({ state, parent: root, root });
}

/** Underlines problems; the messages appear on hover and in the list below. */
export function showProblems(view: EditorView, problems: readonly TextProblem[]): void {
  const end = view.state.doc.length;
  const diagnostics = problems.map(({ from, to, message }) => {
    return {
      from: Math.min(from, end),
      to: Math.min(Math.max(to, from), end),
      message,
      severity: 'error' as const,
    };
  });
  view.dispatch(setDiagnostics(view.state, diagnostics));
}

/** Replaces the text, such as after a change of the graph. */
export function replaceText(view: EditorView, text: string): void {
  if (view.state.doc.toString() === text) return;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}
