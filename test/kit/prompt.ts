import { resolve } from 'node:path';
import type { Prompt } from '../../shared/prompt.js';

/** The program that asks, from its bundle. */
export const ASK = resolve(import.meta.dirname, '../../bin/mcp-ask.js');

/** A question about a change, as mcp-vim puts it. */
export const PROMPT: Prompt = {
  from: 'mcp-vim default',
  message: 'Allow in the editor ed: change buffer 3 (notes.md)?',
  details: '@@ -1,1 +1,1 @@\n-one\n+two \\u{202e}x\n\n(27 characters)',
  action: 'write',
  subject: 'target:ed',
  scopes: ['write in the editor ed, all its files', 'write in all editors, also later ones'],
  terminal: false,
};
