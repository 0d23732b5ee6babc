/** All tests that need no process of their own, in this one. */
import { testFiles } from './kit/files.js';

for (const file of testFiles('unit')) await import(`../../${file}`);
