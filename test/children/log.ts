/** Logs its first argument, with the others hidden, in each way there is. */
import { log } from '../../shared/log.js';

const [text = '', ...secrets] = process.argv.slice(2);
log.name('program');
for (const secret of secrets) log.hide(secret);
log.info(text);
log.warn(text);
log.error(text);
