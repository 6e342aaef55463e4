// Prints every text that people see in the dashboard, with file and line: `bun tools/list-strings.ts [folder of web]`.
import { visibleStrings } from '../web/visible-strings.ts';

const [folder = '.'] = process.argv.slice(2);
const files = [...new Bun.Glob('**/*.{ts,tsx}').scanSync({ cwd: `${import.meta.dir}/../web` })]
  .filter((file) => !/(^|\/)node_modules\/|\.(test|d)\.ts$|^(vite\.config|visible-strings)\.ts$/.test(file))
  .filter((file) => folder === '.' || file.startsWith(folder))
  .toSorted();

for (const file of files) {
  const source = await Bun.file(`${import.meta.dir}/../web/${file}`).text();
  for (const { line, text } of visibleStrings(file, source)) console.log(`web/${file}:${line}\t${text}`);
}
