import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { minimalSetup } from 'codemirror';

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--running)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--never)' },
  { tag: tags.comment, color: 'var(--soft)' },
  { tag: tags.keyword, color: 'var(--running)' },
]);

const THEME = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--sunken)', fontSize: '14px' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px', overflow: 'auto' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', border: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'var(--accent-wash)' },
});

/**
 * Replaces a selection by typed text itself. Left to Chromium, the first character would keep the colour of the selected text in a
 * style attribute, which the Content-Security-Policy forbids.
 */
const REPLACE_SELECTION = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { state } = view;
    const isTyped = event.inputType === 'insertText' && !event.isComposing && !view.composing;
    if (!isTyped || event.data === null || state.readOnly || state.selection.main.empty) return false;
    view.dispatch(state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true });
    event.preventDefault();
    return true;
  },
});

interface EditorOptions {
  readonly label: string;
  readonly text: string;
  readonly isReadOnly: boolean;
  readonly onChange: (text: string) => void;
  /** Language, size and marks. */
  readonly extensions: Extension;
}

/**
 * Opens an editor in an element. Tab leaves it.
 *
 * NOTE: the editor lives in a shadow root, where CodeMirror adopts its style sheets: a `<style>` in the page would need a nonce
 * under the Content-Security-Policy. Colours are CSS variables.
 */
export function openEditor(
  place: HTMLElement,
  { label, text, isReadOnly, onChange, extensions }: EditorOptions,
): EditorView {
  const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' });
  const state = EditorState.create({
    doc: text,
    extensions: [
      // The first theme that sets a property wins.
      extensions,
      minimalSetup,
      REPLACE_SELECTION,
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

/** Replaces the text if it differs. */
export function replaceText(view: EditorView, text: string): void {
  if (view.state.doc.toString() === text) return;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}
