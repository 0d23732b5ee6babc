/** Writes the generated pages. */
import { writeFileSync } from 'node:fs';
import { reference } from './kit/reference.js';

writeFileSync('docs/reference.md', reference());
