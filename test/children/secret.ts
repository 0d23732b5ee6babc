/** Prints the master secret of the person it runs for. */
import { masterSecret } from '../../shared/secret.js';

process.stdout.write((await masterSecret()).current.toString('hex'));
