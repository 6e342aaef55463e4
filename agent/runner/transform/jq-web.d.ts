/** The package has no types; its script is imported as text, its wasm as the path of a file (a binary has both inside). */
declare module 'jq-web/jq.js' {
  const source: string;
  // biome-ignore lint/style/noDefaultExport: an import `with { type: 'text' }` is a default import
  export default source;
}

declare module 'jq-web/jq.wasm' {
  const path: string;
  // biome-ignore lint/style/noDefaultExport: an import `with { type: 'file' }` is a default import
  export default path;
}
