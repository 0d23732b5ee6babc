/** Bundles the two programs, so that they start fast: one file each and what they share, heavy parts loaded when used. */
import { rm } from 'node:fs/promises';
import { build } from 'esbuild';

await rm('dist/bin', { recursive: true, force: true });

await build({
  entryPoints: {
    'mcp-multibroker': 'dist/hub/main.js',
    'mcp-vim': 'dist/child-vim/main.js',
    'mcp-ask': 'dist/ask/main.js',
  },
  outdir: 'dist/bin',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Modules before CommonJS, where a package has both without saying so in its exports.
  mainFields: ['module', 'main'],
  // CommonJS dependencies call `require`.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  logLevel: 'warning',
});
