/**
 * Tries the hub with clients from the field that are too large to be dependencies: `run.js [NAME...]`. They are brought from
 * npm, each in a folder of its own. Exits with 1 where one of them fails.
 */
import { Stage } from '../conformance/ways.js';
import { child } from '../kit/hub.js';
import { SDKS } from '../kit/sdks.js';
import { inspector } from './inspector.js';
import { langchain } from './langchain.js';
import { mcpUse } from './mcp-use.js';

/** Does what there is to do with a hub at an address that has the child `c`; throws where something is wrong. */
export type Field = (url: string) => Promise<void>;

const CLIENTS: ReadonlyMap<string, Field> = new Map([
  ['inspector', inspector],
  ['langchain', langchain],
  ['mcp-use', mcpUse],
]);

const chosen = process.argv.slice(2);
for (const [name, use] of CLIENTS) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const stage = await Stage.open();
  try {
    await use(await stage.hub(...child('c', 'sdk1', SDKS['SDK 1.32']), '--eager'));
    console.log(`${name}: fine`);
  } catch (error) {
    console.log(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
    process.exitCode = 1;
  } finally {
    await stage.close();
  }
}
