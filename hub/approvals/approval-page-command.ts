import { type ClippedValue, type CommandPart, clippedValue } from '@svc/core/approval/shown-command';
import { escapeHtml } from '@svc/core/html/escape-html';
import { visiblePieces } from '@svc/core/text/visible-text';

/** The command as HTML. A long value is cut there and whole below, so that it cannot push the rest out of sight. */
export function commandHtml(parts: readonly CommandPart[]): string {
  return `<pre class="command" dir="ltr">${parts.map(partHtml).join('')}</pre>`;
}

/** The whole value of one argument. */
export function valueHtml(part: Exclude<CommandPart, { kind: 'text' }>): string {
  const shown = part.kind === 'value' ? textHtml(part.text) : partHtml(part);
  const size = part.kind === 'value' && part.text.length > 80 ? `, ${count([...part.text].length)}` : '';
  return (
    `<h2>Value of <code>${escapeHtml(part.name)}</code>${size}</h2>` +
    `<pre dir="ltr">${shown === '' ? '<span class="s">empty</span>' : shown}</pre>`
  );
}

function partHtml(part: CommandPart): string {
  switch (part.kind) {
    case 'text':
      // The author of the command wrote its lines; a value has none.
      return part.text.split('\n').map(textHtml).join('\n');
    case 'value':
      return `<span class="v">${clippedHtml(clippedValue(part.text))}</span>`;
    case 'secret':
      return `<span class="s">secret ${escapeHtml(part.name)}</span>`;
    case 'absent':
      return `<span class="s">no ${escapeHtml(part.name)}</span>`;
  }
}

function clippedHtml(value: ClippedValue): string {
  if (value.kind === 'whole') return textHtml(value.text);
  const { head, left, tail } = value;
  return `${textHtml(head)}<span class="s">… ${count(left)} more, below …</span>${textHtml(tail)}`;
}

function textHtml(text: string): string {
  return visiblePieces(text)
    .map((piece) =>
      piece.kind === 'text'
        ? escapeHtml(piece.text)
        : `<span class="m" title="a character that does not show">${escapeHtml(piece.text)}</span>`,
    )
    .join('');
}

function count(chars: number): string {
  return `${chars.toLocaleString('en-US')} characters`;
}
