/** Units are imported as their text, `with { type: 'text' }`. */
declare module '*.service' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: an import `with { type: 'text' }` is a default import
  export default text;
}
