import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHILD_FLAGS } from '../../hub/child-options.js';
import { HUB_FLAGS, hubUsage, readHubOptions } from '../../hub/options.js';
import { programOf } from '../kit/spec.js';

describe("the hub's command line", () => {
  it('means a hub without children when it is empty', async () => {
    const options = await readHubOptions([]);
    assert.deepEqual(options, {
      stdio: false,
      name: 'default',
      bound: false,
      bind: { host: undefined, port: undefined },
      tokens: [],
      separator: 'auto',
      status: false,
      connects: [],
      expose: undefined,
      permissions: {
        guard: false,
        decided: { allow: new Set(), deny: new Set() },
        readOnly: false,
        pin: false,
        asking: { name: 'default', way: 'auto', helper: undefined, isChosen: false },
      },
      mode: 'run',
      children: [],
      configs: [],
    });
  });

  it('has the hubs to connect to on it, and in a variable where nobody sees their tokens', async (t) => {
    process.env['MCP_MULTIBROKER_CONNECT'] = 'http://[::1]:82/token-number-two/b';
    t.after(() => delete process.env['MCP_MULTIBROKER_CONNECT']);
    const { connects } = await readHubOptions(['--connect', 'http://127.0.0.1:81/token-number-one/a']);
    assert.deepEqual(connects, [
      { host: '127.0.0.1', port: 81, token: 'token-number-one', alias: 'a' },
      { host: '::1', port: 82, token: 'token-number-two', alias: 'b' },
    ]);
    await assert.rejects(readHubOptions(['--connect', 'http://127.0.0.1/secret-secret-secret']), (error: Error) => {
      assert.match(error.message, /--connect takes http:\/\/HOST:PORT\/TOKEN\/ALIAS/);
      return !error.message.includes('secret');
    });
  });

  it('says how the hub is known where one signs in, or what is wrong with that', async () => {
    const remote = ['far', 'https://example.org/mcp'];
    const secret = ['--oauth-secret', 'sesame'];
    const { children } = await readHubOptions([...remote, '--oauth-id', 'me', ...secret]);
    const source = { url: 'https://example.org/mcp', headers: new Map() };
    assert.deepEqual(
      children.map((child) => child.source),
      [{ ...source, client: { id: 'me', secret: 'sesame', document: undefined } }],
    );
    await assert.rejects(readHubOptions([...remote, ...secret]), /--oauth-secret is for --oauth-id, which is missing/);
    for (const document of ['me', 'http://example.org/me.json', 'https://example.org'])
      await assert.rejects(readHubOptions([...remote, '--oauth-document', document]), /no https address of a document/);
  });

  it('names programs between marks, whose words are their own', async () => {
    const { children } = await readHubOptions([
      'a',
      '---',
      'prog',
      '--eager',
      '--',
      '--token=x',
      '---',
      'b',
      '---',
      'q',
      '---',
    ]);
    assert.deepEqual(
      children.map((spec) => [spec.alias, spec.eager, programOf(spec).program, programOf(spec).args]),
      [
        ['a', false, 'prog', ['--eager', '--', '--token=x']],
        ['b', false, 'q', []],
      ],
    );
  });

  it('takes a quoted command line apart without a shell', async () => {
    const source = `stdio:prog "two words" 'it''s' $HOME ; a\\b *`;
    const { children } = await readHubOptions(['a', source]);
    assert.equal(programOf(children[0]).program, 'prog');
    assert.equal(programOf(children[0]).args[0], 'two words');
    assert.ok(programOf(children[0]).args.includes('$HOME'));
    assert.ok(programOf(children[0]).args.includes(';'));
  });

  it("gives a child's options to the child before them", async () => {
    const { children, name } = await readHubOptions([
      ...['a', 'stdio:p', '--eager', '--env', 'K=V=W', '--env=E=', '--cwd', '/x', '--name=n'],
      ...['b', 'stdio:q'],
    ]);
    const [a, b] = children;
    assert.deepEqual(
      [a?.eager, [...programOf(a).env], programOf(a).cwd],
      [
        true,
        [
          ['K', 'V=W'],
          ['E', ''],
        ],
        '/x',
      ],
    );
    assert.deepEqual([b?.eager, programOf(b).env.size, programOf(b).cwd], [false, 0, undefined]);
    assert.equal(name, 'n');
  });

  it('takes servers by their URL, with what opens them', async () => {
    const { children } = await readHubOptions([
      ...['a', 'https://example.com/mcp', '--bearer', 'secret', '--header', 'X-Team: one two', '--header=X-Empty:'],
      ...['b', 'http://127.0.0.1:80/'],
    ]);
    const headers = new Map([
      ['x-team', 'one two'],
      ['x-empty', ''],
      ['authorization', 'Bearer secret'],
    ]);
    assert.deepEqual(
      children.map(({ source }) => source),
      [
        { url: 'https://example.com/mcp', headers },
        { url: 'http://127.0.0.1:80/', headers: new Map() },
      ],
    );
    for (const wrong of [
      ['a', 'http://x', '--cwd', '/'],
      ['a', 'stdio:x', '--bearer', 't'],
      ['a', 'http://x', '--header', 'no colon'],
      ['a', 'http://x', '--header', 'X: a\r\nY: b'],
      ['a', 'http://:x'],
    ])
      await assert.rejects(readHubOptions(wrong), { kind: 'invalid' });
  });

  it('says what of a child is offered, and how it lives', async () => {
    const { children, separator } = await readHubOptions([
      ...['--separator', '__', 'a', 'stdio:p', '--allow', 'read*', '--allow=get', '--deny', '*!', '--no-prefix'],
      ...['--timeout', '1.5', '--idle', '60', '--required', 'b', 'stdio:q'],
    ]);
    const [{ source: _, ...a } = { source: undefined }, { source: __, ...b } = { source: undefined }] = children;
    assert.deepEqual(a, {
      ...{ alias: 'a', eager: false, required: true, prefixed: false },
      ...{ allow: ['read*', 'get'], deny: ['*!'], timeout: 1500, idle: 60_000 },
    });
    assert.deepEqual(b, { alias: 'b', eager: false, required: false, prefixed: true, allow: [], deny: [] });
    assert.equal(separator, '__');
  });

  it('says where to listen, and that it was said', async () => {
    const { bind, bound, tokens } = await readHubOptions([
      '--bind',
      '[::1]:70',
      '--token',
      'token-number-one',
      '--token=token-number-two',
    ]);
    assert.deepEqual(
      [bind, bound, tokens],
      [{ host: '::1', port: 70 }, true, ['token-number-one', 'token-number-two']],
    );
    assert.equal((await readHubOptions(['--name', 'other'])).bound, true);
  });

  it('may only ask for a text', async () => {
    for (const mode of ['help', 'version', 'print-url'] as const) {
      assert.equal((await readHubOptions([`--${mode}`])).mode, mode);
    }
  });

  for (const [argv, message] of [
    [['--nope'], /^unknown option --nope$/],
    [['--stdio=1'], /^--stdio takes no value$/],
    [['--name'], /^--name needs a value: --name NAME$/],
    [['--name=a', '--name=b'], /^--name is given twice$/],
    [['--bind', 'x:y'], /^--bind x:y: expected an address/],
    [['--eager'], /^--eager belongs after the source of a child$/],
    [['a', '--eager', 'stdio:p'], /^--eager belongs after the source of a child$/],
    [['a'], /^the alias "a" has no source: give --- PROGRAM ARG... ---, 'stdio:COMMAND' or a URL$/],
    [['a', 'prog'], /^"prog" is no source: give 'stdio:COMMAND', --- PROGRAM --- or a URL$/],
    [['a', 'stdio:'], /^the source of a names no program$/],
    [['--token', ''], /^--token: a token is 16 or more/],
    [['--token', 'short'], /^--token: a token is 16 or more/],
    [['--name', '../x'], /^--name takes letters/],
    [['a', '---', 'prog'], /^the program after a --- has no closing ---$/],
    [['a', '---', '---'], /names no program/],
    [['a.b', 'stdio:p'], /^"a\.b" is no alias: letters, digits and - only, a letter first, 32 at most$/],
    [['a', 'stdio:p', 'a', 'stdio:q'], /^the alias a is given twice$/],
    [['a', 'stdio:p', '--env', 'K'], /^an --env is not K=V$/],
    [['a', 'stdio:p', '--env', '=V'], /^an --env is not K=V$/],
    [['--separator', '_'], /^--separator "_": give auto/],
    [['a', 'stdio:p', '--timeout', '0'], /^--timeout 0: give seconds, more than 0/],
    [['a', 'stdio:p', '--timeout', '1e3'], /^--timeout 1e3: give seconds/],
    [['a', 'stdio:p', '--idle', '2000001'], /^--idle 2000001: give seconds, more than 0 and at most 2000000/],
    [['a', 'stdio:p', '--idle', '5', '--eager'], /^--idle is for a child that starts with its first call/],
    [['a', 'stdio:p', '--cwd', '/x', '--cwd', '/y'], /^--cwd is given twice$/],
  ] as const) {
    it(`is refused: ${argv.join(' ')}`, async () => {
      await assert.rejects(readHubOptions(argv), { kind: 'invalid', message });
    });
  }

  it('names a program that has no alias, not what stands for it inside', async () => {
    await assert.rejects(readHubOptions(['---', 'prog', 'arg', '---']), (error: Error) => {
      assert.match(error.message, /prog|alias/);
      assert.doesNotMatch(error.message, /\\u0000|\0/);
      return true;
    });
    await assert.rejects(readHubOptions(['a', '---', '---']), (error: Error) => {
      assert.doesNotMatch(error.message, /\\u0000|\0/);
      return true;
    });
  });

  it('is explained in full', () => {
    for (const { name } of [...HUB_FLAGS, ...CHILD_FLAGS]) assert.match(hubUsage(), new RegExp(`^ +--${name}\\b`, 'm'));
  });
});
