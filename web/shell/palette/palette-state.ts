import { OpenState } from '../../design/open-state.ts';

export const palette = new OpenState();

export function openPalette(): void {
  palette.set(true);
}
