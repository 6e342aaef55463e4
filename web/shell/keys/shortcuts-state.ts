import { OpenState } from '../../design/open-state.ts';

export const shortcuts = new OpenState();

export function showShortcuts(): void {
  shortcuts.set(true);
}
