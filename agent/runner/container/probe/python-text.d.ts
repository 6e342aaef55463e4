/** Imported as text: a binary has it inside. */
declare module '*.py' {
  const source: string;
  // biome-ignore lint/style/noDefaultExport: an import `with { type: 'text' }` is a default import
  export default source;
}
