import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CHILD_FLAGS } from '../../hub/child-options.js';
import { readConfig } from '../../hub/config.js';
import { programOf } from '../kit/spec.js';

const PATH = '/etc/hub/servers.json';

const read = (servers: unknown, environment: Record<string, string> = {}): ReturnType<typeof readConfig> =>
  readConfig(PATH, JSON.stringify({ mcpServers: servers }), environment);

const one = (entry: unknown, environment: Record<string, string> = {}): unknown => {
  const [child] = read({ a: entry }, environment).children;
  return child?.source;
};

describe('a configuration file', () => {
  it('has its servers where Claude and Cursor, VS Code or Zed have them', () => {
    for (const member of ['mcpServers', 'servers', 'context_servers']) {
      const { children } = readConfig(PATH, JSON.stringify({ other: 1, [member]: { a: { command: 'x' } } }));
      assert.deepEqual(
        children.map((spec) => [spec.alias, spec.eager, programOf(spec).program]),
        [['a', false, 'x']],
      );
    }
  });

  it('may have comments, trailing commas and a byte order mark', () => {
    const { children } = readConfig(
      PATH,
      '\uFEFF// x\n{"servers": {"a": {"command": "x", /* y */ "args": ["//",],},},}',
    );
    assert.deepEqual(programOf(children[0]).args, ['//']);
  });

  it('takes the command as Zed once wrote it', () => {
    const { program, args } = one({ command: { path: 'x', args: ['y'] } }) as { program: string; args: string[] };
    assert.deepEqual([program, args], ['x', ['y']]);
  });

  it('takes each child option under its name', () => {
    const { children } = read({ a: { command: 'x', eager: true, env: { K: 'a=b c', N: 1, GONE: null }, cwd: 'sub' } });
    assert.deepEqual(children, [
      {
        ...children[0],
        alias: 'a',
        eager: true,
        source: {
          program: 'x',
          args: [],
          cwd: '/etc/hub/sub',
          env: new Map([
            ['K', 'a=b c'],
            ['N', '1'],
          ]),
        },
      },
    ]);
    for (const { name, value } of CHILD_FLAGS) {
      const wrong = value === undefined ? 'yes' : { a: { b: 1 } };
      assert.throws(
        () => read({ a: { command: 'x', [name]: wrong } }),
        new RegExp(`server "a": ${name}\\b.* must be `),
      );
    }
  });

  it('has servers that are reached by a URL, with their headers, and other names for what they offer', () => {
    const { children } = read(
      {
        far: {
          type: 'http',
          url: 'https://example.com/${PLACE}',
          headers: { Authorization: 'Bearer ${TOKEN}' },
          rename: { search_all: 'find' },
          describe: { search_all: 'Finds it.' },
        },
      },
      { PLACE: 'mcp', TOKEN: 'secret' },
    );
    const [far] = children;
    const headers = new Map([['authorization', 'Bearer secret']]);
    assert.deepEqual(far?.source, { url: 'https://example.com/mcp', headers });
    assert.deepEqual(
      [far?.rename, far?.describe],
      [new Map([['search_all', 'find']]), new Map([['search_all', 'Finds it.']])],
    );
  });

  it('leaves out what is disabled or brought by an extension, and goes on with the rest', () => {
    const { children, remarks } = read({
      off: { command: 'x', disabled: true, args: ['${UNSET}'] },
      zed: { command: 'x', enabled: false },
      ext: { source: 'extension', settings: {} },
      a: { type: 'stdio', command: 'x' },
      b: { type: 'local', command: 'x' },
    });
    assert.deepEqual(
      children.map(({ alias }) => alias),
      ['a', 'b'],
    );
    assert.deepEqual(
      remarks.filter((remark) => remark.includes('left out')).map((remark) => /server "(\w+)"/.exec(remark)?.[1]),
      ['ext'],
    );
  });

  it('tells of members that it does not know', () => {
    const { remarks } = read({ a: { command: 'x', autoApprove: [], toString: 1 } });
    assert.deepEqual(remarks, [`${PATH}: server "a" has members that mean nothing here: autoApprove, toString`]);
  });

  it('does not start the hub with this very file', () => {
    for (const args of [
      ['--config', PATH],
      [`--config=${PATH}`],
      ['-y', 'mcp-multibroker@1', '--config', '/etc/hub/../hub/servers.json'],
    ]) {
      const command = args[0] === '-y' ? 'npx' : '/usr/bin/mcp-multibroker';
      assert.deepEqual(read({ a: { command, args } }).children, []);
    }
    assert.equal(read({ a: { command: 'mcp-multibroker', args: ['--config', '/etc/other.json'] } }).children.length, 1);
  });

  for (const [text, message] of [
    ['', /^\/etc\/hub\/servers\.json:1:1 is no JSON: value expected$/],
    ['{\n  "servers": {,}\n}', /servers\.json:2:15 is no JSON: value expected/],
    ['{}', /has no member "mcpServers"$/],
    ['{"a": {"command": "x"}}', /has no member "mcpServers"$/],
    ['{"servers": []}', /servers must be an object of servers by name/],
    ['{"servers": {"a": {"command": "x"}, "a": {}}}', /1:37: "a" stands twice in the same object/],
    ['{"servers": {"a": 1}}', /server "a": must be an object with the "command" that starts it/],
    ['{"servers": {"a": {}}}', /server "a": it has neither "command" nor "url"/],
    ['{"servers": {"a": {"command": ["x"]}}}', /server "a": command must be a text in quotes/],
    ['{"servers": {"a": {"command": "x", "args": "y"}}}', /"a": args must be a list of texts, such as/],
    ['{"servers": {"a": {"command": "x", "args": ["y", 1]}}}', /"a": args\[1\] must be a text in quotes/],
    ['{"servers": {"a": {"command": "x", "env": {"A=B": "y"}}}}', /"a": env\.A=B is no name of a variable/],
    ['{"servers": {"a": {"command": "x", "env": ["A=B"]}}}', /"a": env must be an object, such as/],
    ['{"servers": {"a": {"command": "x", "eager": 1}, "b": {}}}', /"a": eager must be true or false; server "b": it/],
    ['{"servers": {"a b": {"command": "x"}, "a-b": {"command": "y"}}}', /"a-b": another one has the alias a-b/],
  ] as const) {
    it(`is refused: ${JSON.stringify(text)}`, () => {
      assert.throws(() => readConfig(PATH, text), { kind: 'invalid', message });
    });
  }

  it('never fails in another way than by a fault that names the file', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const entry = fc.oneof(
      value,
      fc.record({ command: fc.string(), args: fc.oneof(value, fc.array(fc.string())), env: value }),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), entry), (servers) => {
        try {
          assert.ok(read(servers).children.length <= Object.keys(servers).length);
        } catch (error) {
          const { kind, message } = error as { kind?: string; message: string };
          assert.equal(kind, 'invalid', message);
          assert.ok(message.startsWith(PATH), message);
        }
      }),
    );
  });
});

describe('a variable in a configuration file', () => {
  const environment = { NAME: 'value', EMPTY: '', NESTED: '${NAME}' };

  for (const [text, outcome] of [
    ['${NAME}', 'value'],
    ['${env:NAME}', 'value'],
    ['a${NAME}b${NAME}', 'avaluebvalue'],
    ['${UNSET:-other words}', 'other words'],
    ['${env:UNSET:-}', ''],
    ['${EMPTY:-other}', 'other'],
    ['${EMPTY}', ''],
    ['${NESTED}', '${NAME}'],
    ['$NAME $(NAME) ${ $', '$NAME $(NAME) ${ $'],
    ['$${NAME}', '${NAME}'],
  ] as const) {
    it(`is replaced: ${text}`, () => {
      const { args } = one({ command: 'x', args: [text] }, environment) as { args: string[] };
      assert.deepEqual(args, [outcome]);
    });
  }

  it('may stand in command, args, env and cwd', () => {
    assert.deepEqual(one({ command: '${A}', args: ['${A}'], env: { K: '${A}' }, cwd: '/${A}' }, { A: 'x' }), {
      program: 'x',
      args: ['x'],
      env: new Map([['K', 'x']]),
      cwd: '/x',
    });
  });

  for (const [text, message] of [
    ['${UNSET}', /server "a": args\[0\]: the variable UNSET is not set: .*write \$\{UNSET:-default\}/],
    ['${input:key}', /args\[0\]: \$\{input:key\} is a question of VS Code: write \$\{NAME\}/],
    ['${workspaceFolder}', /args\[0\]: \$\{workspaceFolder\} is known to editors only/],
    ['${A:-${B}}', /is no variable/],
    ['${}', /is no variable/],
  ] as const) {
    it(`is refused: ${text}`, () => {
      assert.throws(() => one({ command: 'x', args: [text] }), { kind: 'invalid', message });
    });
  }

  it('is never taken for one in its own value', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const { args } = one({ command: 'x', args: ['<${V}>'] }, { V: value }) as { args: string[] };
        assert.deepEqual(args, [`<${value}>`]);
      }),
    );
  });
});
