import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const MODULE = new URL('../../shared/input.js', import.meta.url).href;

/** Begins to listen after a while, touches `process.stdin` as libraries do, and tells what came. */
const PROGRAM = `
  import { standardInput } from ${JSON.stringify(MODULE)};
  const input = standardInput();
  let came = '';
  setTimeout(() => {
    process.stdin.setMaxListeners(20);
    input.on('data', (chunk) => { came += chunk; });
    input.on('end', () => console.log(JSON.stringify([came, process.stdin === input])));
    input.resume();
  }, 50);
`;

async function outcome(stdin: 'pipe' | number, written: readonly string[] = []): Promise<unknown> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    stdio: [stdin, 'pipe', 'inherit'],
  });
  assert.ok(child.stdout !== null);
  const said = text(child.stdout);
  for (const piece of written) child.stdin?.write(piece);
  child.stdin?.end();
  await once(child, 'close');
  return JSON.parse(await said);
}

describe('standard input', () => {
  it('loses nothing of a pipe, also what came before anybody listened, and is process.stdin', async () => {
    const long = 'x'.repeat(300_000);
    assert.deepEqual(await outcome('pipe', ['hello ', long]), [`hello ${long}`, true]);
  });

  it('may be a file', async () => {
    const file = fileURLToPath(new URL('../../../package.json', import.meta.url));
    const [came] = (await outcome(openSync(file, 'r'))) as [string];
    assert.equal((JSON.parse(came) as { name: string }).name, 'mcp-multibroker');
  });
});
