/** The programs as services of systemd, whose own program is stood in for by one that writes down what it is told. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { cleanup } from '../kit/cleanup.js';
import { folder, freshHome } from '../kit/home.js';
import { childCommand, PROGRAM, ROOT } from '../kit/hub.js';
import type { Environment } from '../kit/processes.js';
import { eventually, soon } from '../kit/until.js';

const VIM = join(ROOT, 'bin/mcp-vim');

interface Service {
  readonly told: () => Promise<string[]>;
  readonly stderr: () => string;
  readonly end: () => Promise<number | null>;
}

async function service(t: TestContext, program: string, args: readonly string[], env: Environment): Promise<Service> {
  const place = await folder(t);
  const [words, bin] = [join(place, 'words'), join(place, 'bin')];
  await mkdir(bin);
  await writeFile(words, '');
  const script = `#!/bin/sh\nprintf '%s|' "$NOTIFY_SOCKET" "$@" >>'${words}'\necho >>'${words}'\n`;
  await writeFile(join(bin, 'systemd-notify'), script, { mode: 0o755 });
  const own = { ...env, PATH: `${bin}:${env['PATH'] ?? ''}` };
  const run = spawn(process.execPath, [program, '--bind', '127.0.0.1:0', ...args], { cwd: ROOT, env: own });
  cleanup(t, () => run.kill('SIGKILL'));
  let stderr = '';
  run.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const exited = once(run, 'exit');
  return {
    told: async () => (await readFile(words, 'utf8')).trim().split('\n'),
    stderr: () => stderr,
    end: async () => {
      run.kill('SIGTERM');
      const [code] = (await soon('end', exited)) as [number | null];
      return code;
    },
  };
}

describe('a service', () => {
  it('says when it is ready, what it serves, and that it stops', async (t) => {
    const [command, ...args] = childCommand('plain');
    const file = join(await folder(t), 'servers.json');
    const written = (...aliases: string[]): string =>
      JSON.stringify({ mcpServers: Object.fromEntries(aliases.map((alias) => [alias, { command, args }])) });
    await writeFile(file, written('a', 'b'));
    const env = { ...(await freshHome(t)), NOTIFY_SOCKET: '/no/such/socket' };
    const { told, end } = await service(t, PROGRAM, ['--config', file], env);
    await eventually('it is ready', async () =>
      /^\/no\/such\/socket\|READY=1\|STATUS=servers: a, b, on 127\.0\.0\.1:\d+\|$/.test((await told())[0] ?? ''),
    );
    await writeFile(file, written('a', 'b', 'c'));
    await eventually(
      'it says what is new',
      async () => (await told())[1] === '/no/such/socket|STATUS=servers: a, b, c|',
    );
    assert.equal(await end(), 0);
    assert.equal((await told()).at(-1), '/no/such/socket|STOPPING=1|');
  });

  it('says it of mcp-vim, too', async (t) => {
    const env = { ...(await freshHome(t)), NOTIFY_SOCKET: '/no/such/socket' };
    const { told, end } = await service(t, VIM, [], env);
    await eventually('it is ready', async () => /READY=1\|STATUS=on 127\.0\.0\.1:\d+/.test((await told())[0] ?? ''));
    assert.equal(await end(), 0);
    assert.match((await told()).at(-1) ?? '', /STOPPING=1/);
  });

  it('says nothing where systemd does not ask, and works where it cannot be told', async (t) => {
    const env = await freshHome(t);
    const silent = await service(t, PROGRAM, [], env);
    await eventually('it listens', () => /listens on/.test(silent.stderr()));
    assert.equal(await silent.end(), 0);
    assert.deepEqual(await silent.told(), ['']);
    const bare = await folder(t);
    await rm(bare, { recursive: true });
    const deaf = spawn(process.execPath, [PROGRAM, '--bind', '127.0.0.1:0'], {
      cwd: ROOT,
      env: { ...env, PATH: bare, NOTIFY_SOCKET: '/no/such/socket' },
    });
    cleanup(t, () => deaf.kill('SIGKILL'));
    let stderr = '';
    deaf.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    await eventually('it says so', () => /systemd could not be told how this is: .*ENOENT/.test(stderr));
    assert.equal(deaf.exitCode, null);
  });
});
