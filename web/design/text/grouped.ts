/** "12,345". `toLocaleString` would load the names and signs of a language first, which takes a browser up to 10 ms. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
