import { readdirSync } from 'node:fs';

/** The built tests of a folder of `test/`, by the sources that are there now, so that no left-over file runs. */
export function testFiles(folder: string): string[] {
  const names = readdirSync(`test/${folder}`).filter((name) => name.endsWith('.test.ts'));
  return names.sort().map((name) => `dist/test/${folder}/${name.replace(/\.ts$/, '.js')}`);
}
