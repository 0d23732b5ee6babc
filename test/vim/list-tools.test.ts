import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { Broker, PROGRAM } from './broker.js';
import { stage } from './fixture.js';

describe('mcp-vim --list-tools', () => {
  const at = stage();

  for (const args of [[], ['--read-only']]) {
    it(`prints what a client gets: ${args.join(' ') || 'all'}`, async () => {
      const before = await readdir(at.home.path);
      const options = { env: at.home.env, encoding: 'utf8' } as const;
      const printed = execFileSync(process.execPath, [PROGRAM, '--list-tools', ...args], options);
      assert.deepEqual(await readdir(at.home.path), before, 'no secret is made for it');
      const broker = at.own(await Broker.start(at.home, args));
      assert.deepEqual(JSON.parse(printed), { tools: (await broker.client.listTools()).tools });
    });
  }
});
